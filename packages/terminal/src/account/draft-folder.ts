import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'

/** A text that was edited, a note with a verdict, a comment, why a risk is raised or work is ended, words to the client, a brief. */
export const draftKinds = ['text', 'note', 'comment', 'reason', 'message', 'brief'] as const
export type DraftKind = (typeof draftKinds)[number]

/** What a draft is about, so that it is found again and can be told from others. */
export interface DraftSubject {
  kind: DraftKind
  approvalId?: string | undefined
  /** Of the piece of work; alone where it is about that and no approval. */
  activityId?: string | undefined
  title: string
  tenantName: string
  /** Of a text: the version that was opened to be edited. */
  base?: { version: number; hash: string } | undefined
}

export interface Draft extends DraftSubject {
  /** Name of its folder. */
  readonly id: string
  /** The file that holds it, for an editor. */
  readonly file: string
  /** Milliseconds since the epoch. */
  readonly changedAt: number
  /** What is written; of a text, which may be long, only its file has it. */
  readonly words?: string
  /** How long the text was that it began with. */
  readonly bytes?: number
}

/** Says in a draft's folder what it is about. */
export const subjectFile = 'draft.json'

/** Ids come from a server: none may name a folder elsewhere. */
const safe = (id: string) => (/^[0-9A-Za-z]{1,64}$/.test(id) ? id : sha256(id).slice(0, 32))

/** The name of the folder of a draft: there is one of each kind for an approval, or for a piece of work. */
export function idOf({
  kind,
  approvalId,
  activityId,
}: Pick<DraftSubject, 'kind' | 'approvalId' | 'activityId'>): string {
  return `${safe(approvalId ?? activityId ?? 'several')}-${kind}`
}

/** The folder of somebody's drafts at a server, within that of all. */
export function ownFolder(all: string, url: string, email: string): string {
  const { host } = new URL(url)
  const name = `${host}-${email}`.toLowerCase().replace(/[^\w.@-]/g, '_')
  return join(all, `${name.slice(0, 100)}-${sha256(`${url}\n${email}`).slice(0, 8)}`)
}

/** The draft in a folder. @returns undefined when there is none */
export async function draftIn(folder: string): Promise<Draft | undefined> {
  const id = basename(folder)
  const kind = draftKinds.find((each) => id.endsWith(`-${each}`))
  if (kind === undefined) return undefined
  const file = join(folder, `${kind}.md`)
  const found = await stat(file).catch(() => undefined)
  if (!found) return undefined
  const words = kind === 'text' ? undefined : await readFile(file, 'utf8')
  return {
    ...(await subjectIn(folder, id)),
    kind,
    id,
    file,
    changedAt: found.mtimeMs,
    ...(words && { words }),
  }
}

/** What a draft is about. One whose description is damaged can still be read, and goes by the name of its folder. */
async function subjectIn(folder: string, id: string): Promise<Omit<DraftSubject, 'kind'>> {
  try {
    const read = JSON.parse(await readFile(join(folder, subjectFile), 'utf8')) as Partial<Draft>
    return { ...read, title: String(read.title), tenantName: String(read.tenantName) }
  } catch {
    return { title: id, tenantName: '' }
  }
}

/**
 * Whether nothing has been written: an editor was opened on a text and has saved nothing else. Beside a file of the editor's
 * own, such as that of what it has not saved, it counts as written.
 */
export async function isEmptyDraft({ kind, base, bytes, file }: Draft): Promise<boolean> {
  if (kind !== 'text' || !base) return false
  const names = await readdir(join(file, '..'))
  if (names.some((name) => name !== subjectFile && name !== basename(file) && !name.endsWith('.new')))
    return false
  const { size } = await stat(file)
  // Editors end the last line.
  if (bytes !== undefined && size !== bytes && size !== bytes + 1) return false
  const text = await readFile(file, 'utf8')
  return sha256(text) === base.hash || (text.endsWith('\n') && sha256(text.slice(0, -1)) === base.hash)
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
