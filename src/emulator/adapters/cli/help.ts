/** What `--help` shows. It fits a screen of 80 columns and 24 lines. */
export const help = `The social publishing service in memory, for programs in any language.

Usage: social-publishing-emulator [options]

  --port <number>        Port. Default 8787; 0 takes any free one.
  --host <address>       Address to listen on. Default 127.0.0.1, this computer.
  --seed <what>          What it holds at the start: empty (default), demo, or
                         a JSON file { "integrations": [...], "posts": [...] }.
  --state <file>         Keeps everything in this file, and goes on from it.
  --scenario <file>      What happens at times to come: a JSON file
                         [{ "at": { "hours": 2 }, "outcomes": {...} }]; also
                         "faults" and "seed".
  --access-key <key>     The access key that it asks for. Default test-key.
  --random-seed <number> The same number, the same data. Default 1.
  --no-console           No page at / and no control API under /_emulator/.
  --open                 Opens the page in the browser.
  --no-log               No line for each request and delivery. (--log: default)
  --quiet                No log, and nothing but address and key at the start.
  --version, --help      The version of this package; this text.
Its clock runs with the real one. Without --state nothing is kept.
`;
