import { closeSync, fsyncSync, openSync } from 'node:fs'

/**
 * Waits until the entries of a folder are on the disk: until then a power cut may take back that a file in it was made or
 * renamed, though its bytes are there. Does nothing on Windows, which has no such call.
 */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
