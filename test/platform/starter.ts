import { createSystemClock } from '../../packages/core/src/platform/clock.ts'
import { silentLogger } from '../../packages/core/src/platform/logger.ts'
import { createProcesses } from '../../packages/core/src/platform/processes/processes.ts'

/** A server that runs one program and nothing else, until someone kills it. Arguments: folder, name, then the program. */
const [folder = '', name = '', ...argv] = process.argv.slice(2)
const processes = createProcesses({ folder, clock: createSystemClock(), log: silentLogger })
await processes.run({
  name,
  argv,
  cwd: '/',
  env: {},
  stdin: '',
  maxBytes: 1_000,
  signal: new AbortController().signal,
  graceMs: () => 0,
  output: (text) => void process.stdout.write(text),
})
