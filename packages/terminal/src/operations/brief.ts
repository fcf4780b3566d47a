import { createReadStream } from 'node:fs'
import { UsageError } from './invocation.ts'

/** Maximum length at the server, characters. */
const longestBrief = 100_000
const longestTitle = 200
/** A character of UTF-8 takes at most four bytes. */
const mostBytes = longestBrief * 4

/**
 * The text of a brief.
 * @param file its path; `-` reads stdin
 * @throws UsageError when it cannot be read, is empty, too long or not text
 */
export async function readBrief(file: string): Promise<string> {
  if (file === '-' && process.stdin.isTTY)
    throw fault('`-` reads the brief from stdin: pipe it in, or name a file')
  const named = file === '-' ? 'stdin' : file
  const text = decoded(await bytesOf(file), named)
  if (text.trim() === '') throw fault(`${named} is empty`)
  const length = text.trim().length
  if (length > longestBrief)
    throw fault(`${named} has ${length} characters, and a brief has at most ${longestBrief}`)
  return text
}

/** Reads at most the maximum length of a brief. */
async function bytesOf(file: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of file === '-' ? process.stdin : createReadStream(file)) {
      chunks.push(chunk as Buffer)
      size += (chunk as Buffer).length
      if (size > mostBytes) break
    }
  } catch (error) {
    throw fault(whyUnread(file, error as NodeJS.ErrnoException))
  }
  if (size > mostBytes)
    throw fault(
      `${file === '-' ? 'stdin' : file} is too long: a brief has at most ${longestBrief} characters`,
    )
  return Buffer.concat(chunks)
}

function whyUnread(file: string, { code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return `there is no file ${file}`
  if (code === 'EISDIR') return `${file} is a folder, and a file is needed`
  if (code === 'EACCES') return `this user has no permission to read ${file}`
  return `${file} cannot be read: ${message}`
}

function decoded(bytes: Buffer, named: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw fault(`${named} is not UTF-8 text`)
  }
}

const fault = (what: string) => new UsageError(`--brief: ${what}`, 'brief')

/** The default title of a campaign: the first heading of its brief, otherwise its first line. */
export function titleOf(brief: string): string {
  const lines = brief.split('\n').map((line) => line.trim())
  const heading = lines.find((line) => /^#{1,6}\s+\S/.test(line))
  const first = (heading ?? lines.find((line) => line !== '') ?? '').replace(/^#{1,6}\s+|\s+#+$/g, '')
  return Array.from(first).slice(0, longestTitle).join('').slice(0, longestTitle).trim()
}

/** A title given by the user. @throws UsageError when it is empty or too long */
export function checkedTitle(title: string): string {
  const length = title.trim().length
  if (length >= 1 && length <= longestTitle) return title
  throw new UsageError(
    `--title ${length === 0 ? 'is empty' : `has ${length} characters`}: a title has 1 to ${longestTitle}`,
    'title',
  )
}
