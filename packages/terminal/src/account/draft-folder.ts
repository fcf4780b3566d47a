import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'

/**
 * An edited text, a note of a verdict, a comment, the reason of an escalation or cancellation, a note to the
 * client, a brief.
 */
export const draftKinds = ['text', 'note', 'comment', 'reason', 'message', 'brief'] as const
export type DraftKind = (typeof draftKinds)[number]

/** The subject of a draft, by which it is found again and distinguished from others. */
export interface DraftSubject {
  kind: DraftKind
  approvalId?: string | undefined
  /** Id of the activity; set alone when the draft is about the activity and not about an approval. */
  activityId?: string | undefined
  title: string
  tenantName: string
  /** Of a text: the version that was opened in the editor. */
  base?: { version: number; hash: string } | undefined
}

export interface Draft extends DraftSubject {
  /** Name of its folder. */
  readonly id: string
  /** The file with the content, for an editor. */
  readonly file: string
  /** Milliseconds since the epoch. */
  readonly changedAt: number
  /** The content; empty for a text, which may be long and is only in its file. */
  readonly words?: string
  /** Length of the text that the draft began with. */
  readonly bytes?: number
}

/** Name of the file in a draft's folder that describes its subject. */
export const subjectFile = 'draft.json'

/** Ids come from a server: none may name a folder elsewhere. */
const safe = (id: string) => (/^[0-9A-Za-z]{1,64}$/.test(id) ? id : sha256(id).slice(0, 32))

/** The name of the folder of a draft: there is one of each kind for an approval or activity. */
export function idOf({
  kind,
  approvalId,
  activityId,
}: Pick<DraftSubject, 'kind' | 'approvalId' | 'activityId'>): string {
  return `${safe(approvalId ?? activityId ?? 'several')}-${kind}`
}

/** The folder of a user's drafts at a server, within the folder of all drafts. */
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

/**
 * The subject of a draft. A draft with a damaged description can still be read, under the name of its folder.
 */
async function subjectIn(folder: string, id: string): Promise<Omit<DraftSubject, 'kind'>> {
  try {
    const read = JSON.parse(await readFile(join(folder, subjectFile), 'utf8')) as Partial<Draft>
    return { ...read, title: String(read.title), tenantName: String(read.tenantName) }
  } catch {
    return { title: id, tenantName: '' }
  }
}

/**
 * Whether nothing has been written: an editor was opened on a text and saved it unchanged. With another file
 * beside it, such as an editor's swap file, the draft counts as written.
 */
export async function isEmptyDraft({ kind, base, bytes, file }: Draft): Promise<boolean> {
  if (kind !== 'text' || !base) return false
  const names = await readdir(join(file, '..'))
  if (names.some((name) => name !== subjectFile && name !== basename(file) && !name.endsWith('.new')))
    return false
  const { size } = await stat(file)
  // Editors append a line break to the last line.
  if (bytes !== undefined && size !== bytes && size !== bytes + 1) return false
  const text = await readFile(file, 'utf8')
  return sha256(text) === base.hash || (text.endsWith('\n') && sha256(text.slice(0, -1)) === base.hash)
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
