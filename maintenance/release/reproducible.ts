/**
 * Packs the checked-out commit twice, each time from a fresh clone with a fresh install, and compares the tarballs byte
 * by byte: everyone who builds a release must get the published files.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

function packed(commit: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'social-publishing-pack-'));
  const run = (program: string, args: readonly string[], cwd: string) =>
    execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const clone = join(folder, 'clone');
    run('git', ['clone', '--quiet', '--no-hardlinks', process.cwd(), clone], folder);
    run('git', ['checkout', '--quiet', '--detach', commit], clone);
    run('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund', '--silent'], clone);
    // Its output is mixed with the output of the build.
    run('npm', ['pack', '--silent', '--pack-destination', folder], clone);
    const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'));
    if (tarball === undefined) throw new Error('npm pack made no tarball');
    return createHash('sha256')
      .update(readFileSync(join(folder, tarball)))
      .digest('hex');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const commit = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
const hashes = [packed(commit), packed(commit)];
console.log(`${commit}\n${hashes.map((hash) => `sha256 ${hash}`).join('\n')}`);
console.log(hashes[0] === hashes[1] ? 'The two tarballs are equal.' : 'The two tarballs differ.');
process.exitCode = hashes[0] === hashes[1] ? 0 : 1;
