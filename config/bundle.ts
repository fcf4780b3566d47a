import { fileURLToPath } from 'node:url'
import { build, type OutputChunk } from 'rolldown'
import { loadedTogether, ownModules } from './bundle-plugins.ts'
import { copyFonts } from './fonts.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const program = 'packages/server/src/main.ts'
/** The two packages with binaries: the `dependencies` of the published package. */
const outside = ['better-sqlite3', '@node-rs/argon2']
/** Packages with binaries that an installation may add: without them images are served in their own size, and vectors compared by the program. */
const optional = ['sharp', 'sqlite-vec']
/** Packages that bundled code tries to load and does without; no one has them. */
const absent = ['pg-native', 'pg-cloudflare', 'cloudflare:sockets']
/** What every server would load and nobody asks for. */
const unused = {
  // Makes the certificates of a listener with TLS: half a megabyte.
  'node-forge': false,
  // Unpacks fonts of a kind that ours are not, by a dictionary that is half of the thread for PDFs.
  'brotli/decompress.js': false,
  // Its boxes measure text by the rules of Unicode, which are read when it is loaded. The listener writes nothing.
  consola$: 'consola/basic',
} as const

/**
 * Bundles the program into `folder`: `main.mjs`, the threads that it starts, the chunks that its commands load when they are used, and
 * the fonts of PDFs.
 * @param more further programs of the tests, by their names
 * @returns the files of code that were written
 */
export async function bundle(folder: string, more: Record<string, string> = {}): Promise<OutputChunk[]> {
  const composition = 'packages/core/src/composition'
  const together = loadedTogether(
    {
      server: ['packages/server/src/commands/serve.ts', 'packages/core/src/index.ts'],
      // A moment later, or with the first request.
      work: [
        'packages/core/src/gateway/door.ts',
        ...['entities', 'jobs', 'joins', 'worker'].map((name) => `${composition}/${name}.ts`),
      ],
    },
    ['packages/terminal/', 'packages/client/', 'packages/server/src/commands/local.ts'],
    program,
  )
  const { output } = await build({
    cwd: root,
    input: {
      main: program,
      // Started as threads of their own, by the names of their files.
      'pdf-worker': 'packages/core/src/platform/pdf/pdf-worker.ts',
      'calendar-worker': 'packages/core/src/platform/threads/calendar-worker.ts',
      'embedding-thread': 'packages/core/src/platform/embeddings/embedding-thread.ts',
      'write-thread': 'packages/core/src/platform/database/write-thread.ts',
      'crawl-thread': 'packages/core/src/platform/crawl/crawl-thread.ts',
      'document-thread': 'packages/core/src/composition/document-thread.ts',
      'text-thread': 'packages/core/src/composition/text-thread.ts',
      ...more,
    },
    platform: 'node',
    external: [...outside, ...optional, ...absent],
    plugins: [ownModules, together.plugin],
    // The file of the server gives to others what they need of it, under names of its own choice.
    preserveEntrySignatures: 'allow-extension',
    resolve: { conditionNames: ['@copydesk/source', 'node'], alias: unused },
    transform: {
      // The oldest one that the launcher takes.
      target: 'node22.18',
      // What draws the terminal has a slow half for its own developers, which keeps a record of every frame.
      define: { 'process.env.NODE_ENV': '"production"' },
    },
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
      codeSplitting: {
        includeDependenciesRecursively: false,
        groups: together.groups,
      },
      comments: { legal: true, annotation: false, jsdoc: false },
    },
  })
  copyFonts(folder)
  return output.filter((file): file is OutputChunk => file.type === 'chunk')
}
