import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { version } from '../../src/core/package.js';
import { endpoints } from '../../src/resources/endpoints.js';
import { blocksOf } from '../support/docs-blocks.js';
import { ToolWorld } from './world.js';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const manifest = JSON.parse(read('package.json')) as { version: string; mcpName: string; files: readonly string[] };
const names = new Set(new ToolWorld().tools({ maxCredits: 1 }).map(({ name }) => name));

/** Returns every word in backquotes that looks like the name of a tool. */
function toolsIn(text: string): string[] {
  return [...text.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map(([, name = '']) => name);
}

const statuses = ['needs_approval', 'why_did_it_fail', 'plan_campaign', 'in_doubt'];
const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const own = ['publish', 'campaign', 'intents', 'webhooks', 'doctor', 'emulator', 'mcp', 'completion'];

/** The command that a text names: `social-publishing posts list`. */
function commandsIn(text: string): string[] {
  return [...text.matchAll(/`social-publishing ([a-z][a-z -]*[a-z])/g)].map(([, command = '']) => command);
}

function isCommand(command: string): boolean {
  const [resource = '', method = ''] = command.split(' ');
  if (own.includes(resource)) return true;
  const methods = Object.keys((endpoints as Record<string, object>)[resource] ?? {});
  return methods.map(kebab).includes(method);
}

describe('the skill for coding agents', () => {
  const skill = read('skills/social-publishing/SKILL.md');

  it('names only tools and commands that exist', () => {
    expect(toolsIn(skill).length).toBeGreaterThan(15);
    for (const name of toolsIn(skill)) expect([...names, ...statuses]).toContain(name);
    expect(commandsIn(skill).length).toBeGreaterThan(6);
    for (const command of commandsIn(skill)) expect(isCommand(command), command).toBe(true);
  });

  it('names every tool', () => {
    for (const name of names) expect(skill).toContain(`\`${name}\``);
  });

  it('has a name and a description, and is in the package', () => {
    expect(skill).toMatch(/^---\nname: social-publishing\ndescription: .{50,1024}\n---\n/);
    expect(manifest.files).toContain('skills');
  });
});

describe('the guide', () => {
  it('names only tools that exist, and all of them', () => {
    const guide = read('docs/agents.md');
    for (const name of names) expect(guide).toContain(`\`${name}\``);
    for (const name of toolsIn(guide)) expect([...names, ...statuses]).toContain(name);
  });

  it('has a JSON block that can be read for each MCP client, without a key', async () => {
    const blocks = (await blocksOf('docs/agents.md')).filter(({ language }) => language === 'json');
    expect(blocks.length).toBeGreaterThanOrEqual(4);
    for (const { code } of blocks) {
      const { mcpServers, servers } = JSON.parse(code) as Record<string, Record<string, object>>;
      expect((mcpServers ?? servers)?.['social-publishing']).toMatchObject({ command: 'npx' });
    }
  });
});

describe('server.json', () => {
  const server = JSON.parse(read('server.json')) as {
    name: string;
    description: string;
    version: string;
    packages: readonly { version: string; identifier: string; packageArguments: readonly { value?: string }[] }[];
  };

  it('has the version and the name of the package', () => {
    expect(server.version).toBe(manifest.version);
    expect(server.version).toBe(version);
    expect(server.packages).toMatchObject([{ version: manifest.version, identifier: 'social-publishing' }]);
    expect(server.name).toBe(manifest.mcpName);
  });

  it('keeps the limits of the registry', () => {
    expect(server.name).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
    expect(server.description.length).toBeLessThanOrEqual(100);
    expect(server.packages[0]?.packageArguments[0]?.value).toBe('mcp');
  });
});
