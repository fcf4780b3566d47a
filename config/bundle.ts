import { fileURLToPath } from 'node:url'
import { build, type OutputChunk } from 'rolldown'
import { copyFonts } from './fonts.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
/** The two packages with binaries: the `dependencies` of the published package. */
const outside = ['better-sqlite3', '@node-rs/argon2']
/** A package with binaries that an installation may add: without it images are served in their own size. */
const optional = ['sharp']
/** Packages that bundled code tries to load and does without; no one has them. */
const absent = ['pg-native', 'pg-cloudflare', 'cloudflare:sockets']
/** Makes the certificates of a listener with TLS, which nobody asks for: half a megabyte that every server would load. */
const unused = { 'node-forge': false } as const

/**
 * Bundles the program into `folder`: `main.mjs`, the threads that it starts, the chunks that its commands load when they are used, and
 * the fonts of PDFs.
 * @param more further programs of the tests, by their names
 * @returns the files of code that were written
 */
export async function bundle(folder: string, more: Record<string, string> = {}): Promise<OutputChunk[]> {
  const { output } = await build({
    cwd: root,
    input: {
      main: 'packages/server/src/main.ts',
      // Started as threads of their own, by the names of their files.
      'parse-worker': 'packages/core/src/platform/parsing/parse-worker.ts',
      'pdf-worker': 'packages/core/src/platform/pdf/pdf-worker.ts',
      'calendar-worker': 'packages/core/src/platform/threads/calendar-worker.ts',
      'embedding-thread': 'packages/core/src/platform/embeddings/embedding-thread.ts',
      'crawl-thread': 'packages/core/src/platform/crawl/crawl-thread.ts',
      'text-thread': 'packages/core/src/composition/text-thread.ts',
      ...more,
    },
    platform: 'node',
    external: [...outside, ...optional, ...absent],
    resolve: { conditionNames: ['@copydesk/source', 'node'], alias: unused },
    // What draws the terminal has a slow half for its own developers, which keeps a record of every frame.
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    logLevel: 'warn',
    onLog(level, log, print) {
      // Bundled packages use `eval` and load each other in circles; that is theirs, and it works.
      if (!log.message.includes('node_modules')) print(level, log)
    },
    output: {
      dir: folder,
      format: 'esm',
      // A file with one character beyond ASCII takes two bytes for each of its characters as long as it is loaded.
      charset: 'ascii',
      entryFileNames: '[name].mjs',
      chunkFileNames: 'chunks/[name]-[hash].mjs',
      comments: { legal: true, annotation: false, jsdoc: false },
    },
  })
  copyFonts(folder)
  return output.filter((file): file is OutputChunk => file.type === 'chunk')
}
