import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, type WriteStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { Busboy } from '@fastify/busboy'
import { DomainError, invalid } from '../domain/errors.ts'
import { type Aside, createAside } from './aside.ts'
import { cutShort, tooLarge } from './body.ts'
import { header, type Incoming } from './exchange.ts'
import { isCleanText } from './json.ts'

/** What one file field of a form takes. */
export interface FileRule {
  /** Largest file in bytes. */
  maxBytes: number
  /** Default 1. */
  maxFiles?: number
  /** Least number of files; default 1, so that the field is required. */
  minFiles?: number
  /** Media types or file name endings, such as `text/csv` and `.md`; anything when absent. */
  types?: readonly string[]
  /** Hands over a file that is too large, cut and marked, instead of answering 413. */
  keepTooLarge?: boolean
}

export type FileRules = Readonly<Record<string, FileRule>>

/** One received file. It can be read until the answer is given. */
export interface UploadedFile {
  field: string
  /** The last part of the name that the client gave. */
  name: string
  /** As the client declares it, without parameters. */
  type: string
  /** Size in bytes; of what was kept when the file is too large. */
  size: number
  /** Of the content, lower-case hex. */
  sha256: string
  /** Cut at the cap; only where the rule keeps such files. */
  tooLarge: boolean
  bytes(): Promise<Buffer>
  stream(): Readable
}

/** The received files by field. */
export type Upload<F extends FileRules> = { [K in keyof F]: UploadedFile[] }

interface Form {
  fields: Record<string, unknown>
  files: Record<string, UploadedFile[]>
  /** Of all names and contents, for the idempotency key. */
  hash: string
  /** Removes what was put aside. */
  discard(): Promise<void>
}

const inMemory = 64 * 1024
const maxField = 256 * 1024
const maxFields = 100

/**
 * Reads a form from the wire, part by part. Files above 64 KiB wait in a folder for temporary files, so that memory
 * does not grow with them.
 * @throws DomainError `PAYLOAD_TOO_LARGE` with the field; `VALIDATION_ERROR` for a file that the rules do not take or a broken form
 */
export async function readMultipart(incoming: Incoming, rules: FileRules): Promise<Form> {
  const aside = createAside()
  try {
    return await collect(incoming, rules, aside)
  } catch (error) {
    await aside.discard()
    throw error
  }
}

async function collect(incoming: Incoming, rules: FileRules, aside: Aside): Promise<Form> {
  const fields: Record<string, unknown> = {}
  const files: Record<string, UploadedFile[]> = Object.fromEntries(
    Object.keys(rules).map((field) => [field, []]),
  )
  const pending: Promise<void>[] = []
  const open: Readable[] = []
  const counts = new Map<string, number>()
  const failure = Promise.withResolvers<never>()
  failure.promise.catch(() => {})
  const boy = openForm(incoming, rules)
  const source = incoming.node?.req ?? Readable.fromWeb(incoming.web?.body as never)
  // Its sender left while it was asked who that is: neither an end nor a close is heard any more.
  if (source.destroyed) throw cutShort()
  const fail = (error: unknown): void => failure.reject(error)
  const broken = () => fail(new DomainError('VALIDATION_ERROR', 'The form is not valid multipart/form-data'))

  boy.on('field', (name, value, nameCut, valueCut) => {
    const earlier = fields[name]
    if (nameCut || valueCut) fail(tooLarge(maxField, name))
    else if (name === '__proto__' || !isCleanText(name + value)) fail(invalid(name, 'Is not plain text'))
    else fields[name] = earlier === undefined ? value : [earlier, value].flat()
  })
  boy.on('file', (field, content, name, _encoding, mime) => {
    // The form fails by itself when it ends inside of a file; a file that nobody reads any more would end the process then.
    content.on('error', broken)
    const rule = Object.hasOwn(rules, field) ? rules[field] : undefined
    const nth = (counts.get(field) ?? 0) + 1
    counts.set(field, nth)
    const refused = refusal(field, name, mime, nth, rule)
    if (refused || !rule) {
      content.resume()
      fail(refused)
      return
    }
    const kept = keep(aside, content, rule, { field, name, type: mime }).then((file) => {
      ;(files[field] as UploadedFile[])[nth - 1] = file
    })
    kept.catch(fail)
    open.push(content)
    pending.push(kept)
  })
  boy.on('partsLimit', () => fail(new DomainError('PAYLOAD_TOO_LARGE', 'The form has too many parts')))
  const finished = new Promise<void>((resolve) => boy.on('finish', resolve))
  boy.on('error', broken)
  source.on('error', broken)
  source.on('close', () => {
    if (!source.readableEnded) broken()
  })
  source.pipe(boy)
  try {
    await Promise.race([finished, failure.promise])
    await Promise.race([Promise.all(pending), failure.promise])
  } catch (error) {
    source.unpipe(boy)
    source.pause()
    for (const content of open) content.destroy()
    await Promise.allSettled(pending)
    throw error
  }
  for (const [field, rule] of Object.entries(rules)) {
    if ((files[field]?.length ?? 0) < (rule.minFiles ?? 1)) throw invalid(field, 'Needs a file')
  }
  return { fields, files, hash: hashOf(fields, files), discard: aside.discard }
}

function openForm(incoming: Incoming, rules: FileRules) {
  const all = Object.values(rules)
  const maxFiles = all.reduce((sum, rule) => sum + (rule.maxFiles ?? 1), 0)
  try {
    return new Busboy({
      headers: { 'content-type': header(incoming, 'content-type') ?? '' },
      limits: {
        fieldSize: maxField,
        parts: maxFields + maxFiles,
        headerPairs: 20,
        fileSize: Math.max(...all.map((rule) => rule.maxBytes)) + 1,
      },
    })
  } catch {
    throw new DomainError('VALIDATION_ERROR', 'The form names no boundary between its parts')
  }
}

function refusal(field: string, name: string, mime: string, nth: number, rule: FileRule | undefined) {
  if (!rule) return invalid(field, `Unknown file field "${field}"`)
  const max = rule.maxFiles ?? 1
  if (nth > max)
    return new DomainError('PAYLOAD_TOO_LARGE', `More than ${max} files in "${field}"`, { field })
  const lower = (name ?? '').toLowerCase()
  const fits = rule.types?.some((type) => (type.startsWith('.') ? lower.endsWith(type) : type === mime))
  if (fits === false) return invalid(field, `Takes ${rule.types?.join(', ')}, not ${mime}`)
  return undefined
}

type Named = Pick<UploadedFile, 'field' | 'name' | 'type'>

/** Reads one file to its end: into memory, or to disk from 64 KiB on. */
async function keep(aside: Aside, content: Readable, rule: FileRule, named: Named): Promise<UploadedFile> {
  const hash = createHash('sha256')
  let chunks: Buffer[] = []
  let size = 0
  let cut = false
  let spill: { path: string; out: WriteStream } | undefined
  for await (const chunk of content as AsyncIterable<Buffer>) {
    if (cut) continue
    const room = rule.maxBytes - size
    cut = chunk.length > room
    if (cut && !rule.keepTooLarge) throw tooLarge(rule.maxBytes, named.field)
    const part = cut ? chunk.subarray(0, room) : chunk
    size += part.length
    hash.update(part)
    if (!spill && size > inMemory) {
      spill = await aside.open()
      for (const early of chunks) spill.out.write(early)
      chunks = []
    }
    if (!spill) chunks.push(part)
    else if (!spill.out.write(part)) await once(spill.out, 'drain')
  }
  const path = spill?.path
  if (spill) await new Promise<void>((resolve, reject) => spill.out.once('error', reject).end(resolve))
  const whole = path === undefined ? Buffer.concat(chunks, size) : undefined
  return {
    ...named,
    name: cleanName(named.name),
    size,
    sha256: hash.digest('hex'),
    tooLarge: cut,
    bytes: async () => whole ?? readFile(path as string),
    stream: () => (whole ? Readable.from([whole]) : createReadStream(path as string)),
  }
}

function cleanName(name: string | undefined): string {
  // biome-ignore lint: control characters are what must go
  const clean = (name ?? '')
    .toWellFormed()
    .replace(/[\u0000-\u001f\u007f]/g, '')
    .trim()
  return clean === '' ? 'file' : clean.slice(-255)
}

function hashOf(fields: Record<string, unknown>, files: Record<string, UploadedFile[]>): string {
  const content = [
    Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    Object.values(files).map((list) => list.map((file) => [file.field, file.name, file.sha256])),
  ]
  return createHash('sha256').update(JSON.stringify(content)).digest('hex')
}
