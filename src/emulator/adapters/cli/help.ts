/** The text of `--help`. It fits a screen of 80 columns and 24 lines. */
export const help = `Runs the social publishing service in memory, in real time.

Usage: social-publishing emulator [options]
  --port <number>        Port. Default 8787; 0: any free port.
  --host <address>       Address to listen on. Default 127.0.0.1: this computer.
  --cors <origin>        Also answers pages of this origin. You can repeat it.
  --seed <what>          Data at the start: empty (default), demo, or a JSON
                         file { "integrations": [...], "posts": [...] }.
  --state <file>         Keeps all data in this file. Otherwise it is lost.
  --scenario <file>      Changes at later times: a JSON file
                         [{ "at": { "hours": 2 }, "outcomes": {...} }]; also
                         "faults" and "seed".
  --access-key <key>     The access key of the service. Default test-key.
  --random-seed <number> The same number gives the same data. Default 1.
  --no-console           Serves no console at / and no API under /_emulator/.
  --open                 Opens the console in the browser.
  --no-log               Prints no line for each request and delivery.
  --quiet                Prints only the address and the key.
  --version, --help      Prints the version, or this text.

Example:
  social-publishing emulator --seed demo --open
`;
