import { accessSync, constants, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

/** What a run of the tests may come to need, bytes. */
const enough = 4 * 1024 ** 3

/**
 * The folder for files that need not outlive a run: in memory where the machine has room for that, since each test makes
 * and removes hundreds of them; else the folder for temporary files.
 */
export function scratchFolder(): string {
  const memory = '/dev/shm'
  try {
    accessSync(memory, constants.W_OK)
    const { bavail, bsize } = statfsSync(memory)
    if (bavail * bsize >= enough) return memory
  } catch {
    // There is none here.
  }
  return tmpdir()
}
