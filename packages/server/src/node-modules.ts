/** Those that a start loads; most bring others with them. One that is missing here is only slower to load. */
const used = [
  'node:https',
  'node:crypto',
  'node:zlib',
  'node:worker_threads',
  'node:fs/promises',
  'node:timers/promises',
  'node:child_process',
  'node:cluster',
  'node:perf_hooks',
]

/**
 * Loads what a server uses of node's own modules. Node brings their compiled code, which V8 takes only under the options that it was
 * compiled with: after the first `setFlagsFromString` each of them would be compiled again, which took a fifteenth of a start.
 */
export function loadNodeModules(): void {
  for (const name of used) process.getBuiltinModule(name)
  // Loaded when they are first looked at.
  void globalThis.crypto.subtle
  void process.report
}
