import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Desk, Line } from '../operations/operation.ts'
import { pieceOf } from '../operations/show.ts'
import { Failure, wrongUsage } from './failure.ts'
import type { Talk } from './talk.ts'

/**
 * The input of a verdict on the text as somebody has changed it in their editor, bound to the version that they have read: a
 * newer one is not overwritten.
 * @throws Failure when there is no text, or the editor ends with a fault
 */
export async function editedInput(
  { client, now }: Desk,
  input: Line['input'],
  talk: Talk,
): Promise<Line['input']> {
  const [id, ...others] = input['ids'] as string[]
  if (id === undefined || others.length > 0) throw wrongUsage('--edit takes one approval at a time.')
  const { text } = await pieceOf({ client, now }, id)
  if (!text) throw new Failure(`${id} has no text that could be changed.`)
  const edited = await changedByHand(text.text)
  const hash = input['hash'] ?? text.contentHash
  if (edited === text.text) {
    talk.info('The text is as it was: it is approved unchanged.')
    return { ...input, hash }
  }
  return { ...input, hash, edited }
}

async function changedByHand(text: string): Promise<string> {
  const editor = process.env['VISUAL'] || process.env['EDITOR'] || 'vi'
  const folder = await mkdtemp(join(tmpdir(), 'copydesk-edit-'))
  const file = join(folder, 'text.md')
  try {
    await writeFile(file, text, { mode: 0o600, flag: 'wx' })
    await ended(editor, file)
    return await readFile(file, 'utf8')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Runs an editor as a shell would: its variable may hold options. What it says goes to stderr, stdout is for data. */
function ended(editor: string, file: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(`${editor} "${file}"`, { shell: true, stdio: ['inherit', process.stderr, 'inherit'] })
    child.on('error', reject)
    child.on('exit', (code, signal) =>
      code === 0
        ? resolve()
        : reject(new Failure(`The editor ended with ${code ?? signal}: nothing was approved.`)),
    )
  })
}
