import { keepCompiledCode } from './code-cache.ts'
import { keepWebAssemblyCode } from './webassembly.ts'

// Before anything else is loaded.
keepWebAssemblyCode()
keepCompiledCode()
const { run } = await import('./run.ts')
await run(process.argv.slice(2))
