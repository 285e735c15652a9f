/** Writes the rooms of src and their directions into CONTRIBUTING.md, from the import rules. */
import { readFileSync, writeFileSync } from 'node:fs';
import { readRooms, withRooms } from './rooms/diagram.js';

writeFileSync('CONTRIBUTING.md', withRooms(readFileSync('CONTRIBUTING.md', 'utf8'), await readRooms()));
