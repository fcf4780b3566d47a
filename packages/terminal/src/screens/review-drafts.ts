import { type Draft, type DraftKind } from '../account/drafts.ts'
import type { Paper } from '../operations/operation.ts'
import { plainRows } from '../operations/show-rows.ts'
import type { Piece } from '../operations/show.ts'
import { changesBetween } from '../paper/compare.ts'
import { diffRows } from '../paper/diff.ts'
import { emptyRow, type Row, row, span } from '../paper/row.ts'
import { ageOf } from '../paper/words.ts'
import { discarded, draftAbout, draftHint, draftWords } from './drafting.ts'
import type { Shell } from './shell.ts'

const keys: Readonly<Partial<Record<DraftKind, string>>> = {
  text: 'e',
  note: 'r or b',
  comment: 'c',
  reason: 'x',
  message: 'f',
}
const kinds = Object.keys(keys) as DraftKind[]

/** What the person has written about a question and not sent. */
export interface ReviewDrafts {
  of(piece: Piece | undefined): readonly Draft[]
  /** A line on them for the head; none without drafts. */
  hint(piece: Piece | undefined): Row[]
  /** Changes with what is shown. */
  stamp(piece: Piece | undefined): string
  /** All of them, a text beside what the text is now. */
  rows(piece: Piece, paper: Paper): Row[]
  /** Asks which one is to go, and once whether. */
  discard(piece: Piece | undefined): Promise<void>
}

export function reviewDrafts(shell: Shell): ReviewDrafts {
  /** The text of a draft, read from its file. */
  let read: { of: string; text: string | undefined } | undefined
  const of = (piece: Piece | undefined) =>
    piece ? kinds.flatMap((kind) => shell.drafts.find(draftAbout(piece, kind)) ?? []) : []
  const keyOf = ({ id, changedAt }: Draft) => `${id} ${changedAt}`
  const textOf = (draft: Draft): string | undefined => {
    const key = keyOf(draft)
    if (read?.of !== key) {
      read = { of: key, text: undefined }
      void shell.attempt(async () => {
        const text = await shell.drafts.read(draft)
        if (read?.of === key) read = { of: key, text }
        shell.changed()
      })
    }
    return read.text
  }
  const bodyOf = (draft: Draft, piece: Piece, paper: Paper): Row[] => {
    if (draft.kind !== 'text') return plainRows(draft.words ?? '', paper.width)
    const text = textOf(draft)
    if (text === undefined) return [row(span('Reading it …', 'dim'))]
    const rows = diffRows({ from: 0, to: 1, changes: changesBetween(piece.text?.text ?? '', text) }, paper)
    return rows.length > 0 ? rows : [row(span('It is the text as it is now.', 'dim'))]
  }
  return {
    of,
    hint: (piece) => draftHint(of(piece), keys),
    stamp: (piece) =>
      [...of(piece).map(keyOf), read?.of, read?.text?.length, piece?.text?.contentHash].join(' '),
    rows: (piece, paper) =>
      of(piece).flatMap((draft) => [
        row(
          span(`Your draft of ${draftWords[draft.kind]}`, 'strong'),
          span(`, ${ageOf(draft.changedAt, paper.now)} old; ${keys[draft.kind]} goes on with it`, 'dim'),
        ),
        ...versionRow(draft, piece),
        emptyRow,
        ...bodyOf(draft, piece, paper),
        emptyRow,
      ]),
    async discard(piece) {
      const drafts = of(piece)
      const labels = drafts.map(({ kind }) => draftWords[kind])
      const label =
        drafts.length > 1 ? await shell.choose('Which draft do you want to discard?', labels) : labels[0]
      const draft = drafts.find(({ kind }) => draftWords[kind] === label)
      if (draft) await discarded(shell, draft)
    },
  }
}

/** What a text is compared with, and whether it was made from something else. */
function versionRow({ kind, base }: Draft, { text }: Piece): Row[] {
  if (kind !== 'text' || !text) return []
  return base?.hash === text.contentHash
    ? [row(span(`From version ${text.version} to your draft`, 'dim'))]
    : [
        row(
          span(
            `It was made from version ${base?.version ?? '?'}. From version ${text.version}, which is the text now, to your draft:`,
            'warn',
          ),
        ),
      ]
}
