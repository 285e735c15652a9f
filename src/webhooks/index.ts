// The main entry has all of receiving.ts too; what stands beside it here stays out of a bundle of the main entry.
export * from './receiving.js';
