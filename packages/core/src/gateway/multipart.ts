import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { Busboy } from '@fastify/busboy'
import { DomainError, invalid } from '../kernel/errors.ts'
import { bodyTooLarge, cutShort } from './body.ts'
import { isCleanText } from './json.ts'
import { header, type Incoming } from './request-context.ts'
import {
  type Aside,
  createAside,
  type FileRule,
  type FileRules,
  keep,
  type UploadedFile,
} from './uploaded-file.ts'

interface Form {
  fields: Record<string, unknown>
  files: Record<string, UploadedFile[]>
  /** Of all names and contents, for the idempotency key. */
  hash: string
  /** Removes what was put aside. */
  discard(): Promise<void>
}

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
    if (nameCut || valueCut) fail(bodyTooLarge(maxField, name))
    else if (name === '__proto__' || !isCleanText(name + value)) fail(invalid(name, 'Is not plain text'))
    else fields[name] = earlier === undefined ? value : [earlier, value].flat()
  })
  boy.on('file', (field, content, name, _encoding, mime) => {
    // The form fails by itself when it ends inside of a file; a file that no one reads any more would end the process then.
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
      const received = files[field] as UploadedFile[]
      received[nth - 1] = file
      const total = received.reduce((sum, { size }) => sum + size, 0)
      if (total > (rule.maxTotalBytes ?? Number.POSITIVE_INFINITY))
        fail(bodyTooLarge(rule.maxTotalBytes as number, field))
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

function hashOf(fields: Record<string, unknown>, files: Record<string, UploadedFile[]>): string {
  const content = [
    Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    Object.values(files).map((list) => list.map((file) => [file.field, file.name, file.sha256])),
  ]
  return createHash('sha256').update(JSON.stringify(content)).digest('hex')
}
