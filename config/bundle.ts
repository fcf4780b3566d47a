import { fileURLToPath } from 'node:url'
import { build, type OutputChunk } from 'rolldown'

const root = fileURLToPath(new URL('..', import.meta.url))
/** The two packages with binaries: the `dependencies` of the published package. */
const outside = ['better-sqlite3', '@node-rs/argon2']
/** Packages that bundled code tries to load and does without; nobody has them. */
const absent = ['pg-native', 'pg-cloudflare', 'cloudflare:sockets']

/**
 * Bundles the program into `folder`: `main.mjs`, and the chunks that its commands load when they are used.
 * @returns the files of code that were written
 */
export async function bundle(folder: string): Promise<OutputChunk[]> {
  const { output } = await build({
    cwd: root,
    input: { main: 'packages/server/src/main.ts' },
    platform: 'node',
    external: [...outside, ...absent],
    resolve: { conditionNames: ['@copydesk/source', 'node'] },
    logLevel: 'warn',
    onLog(level, log, print) {
      // Bundled packages use `eval` and load each other in circles; that is theirs, and it works.
      if (!log.message.includes('node_modules')) print(level, log)
    },
    output: {
      dir: folder,
      format: 'esm',
      entryFileNames: '[name].mjs',
      chunkFileNames: 'chunks/[name]-[hash].mjs',
      comments: { legal: true, annotation: false, jsdoc: false },
    },
  })
  return output.filter((file): file is OutputChunk => file.type === 'chunk')
}
