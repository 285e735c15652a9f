/**
 * Searches for regular expressions that an attacker's text could keep busy (ReDoS): a checker tries to attack each
 * literal of src. Exits with 1 if it finds an attack, or if a check does not finish.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { check } from 'recheck';
import ts from 'typescript';

interface Found {
  readonly place: string;
  readonly source: string;
  readonly flags: string;
}

function literalsIn(file: string): Found[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2022, true);
  const found: Found[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      const [, text = '', flags = ''] = /^\/(.*)\/([a-z]*)$/s.exec(node.text) ?? [];
      found.push({ place: `${file}:${String(line + 1)}`, source: text, flags });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
const literals = files.sort().flatMap((file) => literalsIn(`src/${file}`));
let bad = 0;
for (const { place, source, flags } of literals) {
  const result = await check(source, flags, { timeout: 20_000 });
  if (result.status === 'safe') continue;
  bad += 1;
  const why = result.status === 'vulnerable' ? `${result.complexity.type}: ${result.attack.pattern}` : 'no verdict';
  console.log(`${place}  /${source}/${flags}  ${why}`);
}
console.log(`${String(literals.length)} regular expressions, ${String(bad)} not shown to be safe`);
process.exit(bad === 0 ? 0 : 1);
