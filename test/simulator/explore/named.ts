import { plantedBugs } from '../planted.js';
import { historicalBugs } from './historical.js';
import { scenarios, type Scenario } from './scenarios.js';

export function scenario(name: string): Scenario {
  const found = scenarios.find((one) => one.name === name);
  if (found === undefined) throw new Error(`There is no scenario ${name}.`);
  return found;
}

export function bugNamed(name: string) {
  return [...plantedBugs, ...historicalBugs].find((bug) => bug.name === name);
}
