import { spawnSync } from 'node:child_process'

/** The C compiler of this machine, where it makes what can be preloaded into a program (`apt install gcc libc6-dev`). */
export function findCompiler(): string | undefined {
  if (process.platform !== 'linux') return undefined
  const args = ['-shared', '-fPIC', '-x', 'c', '-o', '/dev/null', '-']
  return ['cc', 'gcc', 'clang'].find(
    (name) => spawnSync(name, args, { input: '#include <dlfcn.h>' }).status === 0,
  )
}
