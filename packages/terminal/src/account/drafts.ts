import { randomBytes } from 'node:crypto'
import { access, constants, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Failure } from '../shell/failure.ts'
import type { Connection } from './connection.ts'
import {
  type Draft,
  type DraftSubject,
  draftIn,
  idOf,
  isEmptyDraft,
  ownFolder,
  subjectFile,
} from './draft-folder.ts'
import { type Environment, profilesFile } from './profiles.ts'

export type { Draft, DraftKind, DraftSubject } from './draft-folder.ts'

/**
 * Unsent texts of a user, each draft in a separate folder that only the user can read. A draft is on disk
 * from the first character on, so that it survives this process, a lost connection and an expired session. It
 * is deleted only when it is sent or discarded.
 */
export interface Drafts {
  /** The latest first, as of the last read or change by this process. */
  readonly all: readonly Draft[]
  /** Called after drafts were read or changed. */
  onChange?: () => void
  /** The temporary folder in use when the user's folder is not writable. */
  readonly temporary: string | undefined
  /**
   * Reads the drafts again: another terminal may have changed them. @throws Failure when they cannot be read
   */
  load(): Promise<void>
  /** The draft about an approval, or about an earlier approval of the same activity. */
  find(about: Pick<DraftSubject, 'kind' | 'approvalId' | 'activityId'>): Draft | undefined
  /**
   * Creates a draft with a text, or replaces the one about the same subject.
   * @throws Failure when the maximum number of drafts is reached, or it cannot be written
   */
  begin(about: DraftSubject, text: string): Promise<Draft>
  read(draft: Draft): Promise<string>
  write(draft: Draft, text: string): Promise<void>
  /**
   * @param sent the text that was sent; absent: the user discards the draft. A later change of the draft is
   * kept.
   */
  remove(draft: Draft, sent?: string): Promise<void>
}

/**
 * Maximum number of drafts. None is deleted to make room: a new draft is refused until some are sent or
 * discarded.
 */
export const mostDrafts = 200
export const noRoom = `There are ${mostDrafts} drafts, which is the maximum. Discard some first: :drafts`

/** The drafts of a connection's user, in `drafts` beside the profiles. */
export function draftsOf(env: Environment, { url, email, context }: Connection): Drafts {
  const folder = join(dirname(profilesFile(env)), 'drafts')
  // Only the server knows the user of a key from the environment.
  return openDrafts(async () =>
    ownFolder(folder, url, email ?? (await context.client.call('cli', 'GET /me')).email),
  )
}

/** @param folderOf returns the folder of the user's drafts at this server; called again after a failure */
function openDrafts(folderOf: () => Promise<string>): Drafts {
  let all: readonly Draft[] = []
  let last: Promise<unknown> = Promise.resolve()
  /** Runs operations one at a time: a read during a removal would restore the draft. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work)
    last = turn.catch(() => undefined)
    return turn
  }
  const hold = (drafts: readonly Draft[]) => {
    all = drafts.toSorted((a, b) => b.changedAt - a.changedAt)
    held.onChange?.()
  }
  let found: { folder: string; isTemporary: boolean } | undefined
  const folder = async () => (found ??= await writable(await folderOf())).folder
  const update = async (id: string) => {
    const now = await draftIn(join(await folder(), id))
    hold([...all.filter((each) => each.id !== id), ...(now ? [now] : [])])
    return now
  }
  const held: Drafts = {
    get all() {
      return all
    },
    get temporary() {
      return found?.isTemporary ? found.folder : undefined
    },
    load: () =>
      inTurn(async () => {
        const home = await folder()
        const names = await readdir(home).catch(noneThere)
        const read = await Promise.all(names.map((name) => draftIn(join(home, name))))
        const drafts = read.filter((each) => each !== undefined)
        const isWritten = await Promise.all(drafts.map(async (draft) => !(await isEmptyDraft(draft))))
        hold(drafts.filter((_, index) => isWritten[index]))
      }),
    find({ kind, approvalId, activityId }) {
      const ofKind = all.filter((draft) => draft.kind === kind)
      const own = ofKind.find((draft) => draft.id === idOf({ kind, approvalId, activityId }))
      const ofSameWork = (draft: Draft) =>
        approvalId !== undefined && draft.approvalId !== undefined && draft.activityId === activityId
      return own ?? (activityId === undefined ? undefined : ofKind.find(ofSameWork))
    },
    begin: (about, text) =>
      inTurn(async () => {
        if (all.length >= mostDrafts) throw new Failure(noRoom)
        const id = idOf(about)
        const own = join(await folder(), id)
        await mkdir(own, { recursive: true, mode: 0o700 })
        await writeWhole(join(own, subjectFile), JSON.stringify({ ...about, bytes: Buffer.byteLength(text) }))
        await writeWhole(join(own, `${about.kind}.md`), text)
        const draft = await update(id)
        if (!draft) throw new Failure(`${own} cannot be read`)
        return draft
      }),
    read: (draft) => readFile(draft.file, 'utf8'),
    write: (draft, text) =>
      inTurn(async () => {
        await writeWhole(draft.file, text)
        await update(draft.id)
      }),
    remove: (draft, sent) =>
      inTurn(async () => {
        const own = join(await folder(), draft.id)
        if (sent !== undefined) {
          const now = await readFile(draft.file, 'utf8').catch(() => undefined)
          if (now !== undefined && now.trimEnd() !== sent.trimEnd()) return
        }
        await rm(own, { recursive: true, force: true })
        hold(all.filter(({ id }) => id !== draft.id))
      }),
  }
  return held
}

/** The folder; when it is not writable, a new temporary folder, so that the user can continue. */
async function writable(folder: string): Promise<{ folder: string; isTemporary: boolean }> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await access(folder, constants.W_OK)
    return { folder, isTemporary: false }
  } catch {
    return { folder: await mkdtemp(join(tmpdir(), 'copydesk-drafts-')), isTemporary: true }
  }
}

/** Replaces a file atomically; only its owner can read it. */
async function writeWhole(file: string, text: string): Promise<void> {
  const next = `${file}.${randomBytes(6).toString('hex')}.new`
  try {
    await writeFile(next, text, { mode: 0o600, flag: 'wx' })
    await rename(next, file)
  } catch (error) {
    await rm(next, { force: true })
    throw error
  }
}

function noneThere(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return []
  throw error
}
