import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** A room of src as .dependency-cruiser.mjs describes it. */
export interface Room {
  readonly name: string;
  /** A regular expression for the paths of its files. */
  readonly path: string;
  /** The rooms that it may import. */
  readonly uses: readonly string[];
  readonly holds: string;
}

const start = '<!-- rooms: written by npm run documents -->';
const end = '<!-- /rooms -->';

/** The rooms that the import rules know, from top to bottom, and the rooms of the emulator. */
export interface Rooms {
  readonly rooms: readonly Room[];
  readonly emulatorRooms: readonly Room[];
}

export async function readRooms(): Promise<Rooms> {
  // dependency-cruiser loads the configuration, so it is JavaScript without types.
  const { rooms, emulatorRooms } = (await import(pathToFileURL('.dependency-cruiser.mjs').href)) as Rooms;
  return { rooms: rooms.filter(isThere), emulatorRooms };
}

/** Rules may exist before their room. */
function isThere({ path }: Room): boolean {
  return existsSync(path.replace(/[\^$\\]/g, ''));
}

/** Returns a document with a new section about the rooms. */
export function withRooms(markdown: string, rooms: Rooms): string {
  const from = markdown.indexOf(start);
  const to = markdown.indexOf(end);
  if (from === -1 || to < from) throw new Error(`The document has no part between ${start} and ${end}.`);
  return `${markdown.slice(0, from)}${start}\n\n${section(rooms)}\n\n${markdown.slice(to)}`;
}

function section({ rooms, emulatorRooms }: Rooms): string {
  const arrows = rooms.flatMap((room) => direct(room, rooms).map((used) => `  ${room.name} --> ${used}`));
  const rows = [...rooms, ...emulatorRooms].map(
    ({ name, holds, uses }) => `| \`${name}\` | ${holds} | ${uses.join(', ') || 'nothing'} |`,
  );
  return [
    '```mermaid',
    'flowchart TD',
    ...arrows,
    '```',
    '',
    'An arrow is a direct import.',
    '',
    '| room | holds | may import |',
    '|---|---|---|',
    ...rows,
  ].join('\n');
}

/** Returns the rooms that a room reaches only directly: enough arrows to show the order. */
function direct({ uses }: Room, rooms: readonly Room[]): readonly string[] {
  const reached = new Set(uses.flatMap((name) => reach(name, rooms)));
  return uses.filter((name) => !reached.has(name));
}

function reach(name: string, rooms: readonly Room[]): readonly string[] {
  const uses = rooms.find((room) => room.name === name)?.uses ?? [];
  return uses.flatMap((used) => [used, ...reach(used, rooms)]);
}
