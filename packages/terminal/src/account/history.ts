import { appendFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Environment, profilesFile } from './profiles.ts'

/** The history of the terminal's command line. */
export interface History {
  /** Oldest first. */
  readonly earlier: readonly string[]
  /** Saves a line. Ignores errors: a missing history entry must not interrupt the user. */
  keep(line: string): Promise<void>
}

const kept = 500

/** `$COPYDESK_HISTORY`, by default next to the profiles; an empty variable disables the history. */
function historyFile(env: Environment): string | undefined {
  const named = env['COPYDESK_HISTORY']
  return named === undefined ? join(dirname(profilesFile(env)), 'history') : named || undefined
}

/** Reads the history; empty when it cannot be read. Only the owner can read the file. */
export async function openHistory(env: Environment): Promise<History> {
  const file = historyFile(env)
  if (file === undefined) return { earlier: [], keep: async () => undefined }
  const lines = await readFile(file, 'utf8').then(
    (text) => text.split('\n').filter((line) => line !== ''),
    () => [],
  )
  const earlier = lines.slice(-kept)
  if (lines.length > 2 * kept) await shorten(file, earlier).catch(() => undefined)
  return {
    earlier,
    async keep(line) {
      try {
        await mkdir(dirname(file), { recursive: true, mode: 0o700 })
        await appendFile(file, `${line.replace(/\s+/g, ' ')}\n`, { mode: 0o600 })
      } catch {
        // A full disk or a file of another user must not stop the program.
      }
    },
  }
}

async function shorten(file: string, lines: readonly string[]): Promise<void> {
  const draft = `${file}.${process.pid}`
  await writeFile(draft, `${lines.join('\n')}\n`, { mode: 0o600 })
  await rename(draft, file)
}
