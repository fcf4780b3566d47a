import { type Draft, type DraftKind } from '../account/drafts.ts'
import type { RenderOptions } from '../operations/operation.ts'
import type { Piece } from '../operations/show.ts'
import { plainRows } from '../operations/show-rows.ts'
import { changesBetween } from '../render/compare.ts'
import { diffRows } from '../render/diff.ts'
import { emptyRow, row, type StyledLine, span } from '../render/row.ts'
import { ageOf } from '../render/words.ts'
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

/** The user's drafts about an approval and its activity. */
export interface ReviewDrafts {
  of(piece: Piece | undefined): readonly Draft[]
  /** A line about them for the head; none without drafts. */
  hint(piece: Piece | undefined): StyledLine[]
  /** Changes when the line would change. */
  stamp(piece: Piece | undefined): string
  /** All of them, a text compared with the current text. */
  rows(piece: Piece, renderOptions: RenderOptions): StyledLine[]
  /** Asks which one to discard, and for a confirmation. */
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
  const bodyOf = (draft: Draft, piece: Piece, renderOptions: RenderOptions): StyledLine[] => {
    if (draft.kind !== 'text') return plainRows(draft.words ?? '', renderOptions.width)
    const text = textOf(draft)
    if (text === undefined) return [row(span('Loading …', 'dim'))]
    const rows = diffRows(
      { from: 0, to: 1, changes: changesBetween(piece.text?.text ?? '', text) },
      renderOptions,
    )
    return rows.length > 0 ? rows : [row(span('It equals the current text.', 'dim'))]
  }
  return {
    of,
    hint: (piece) => draftHint(of(piece), keys),
    stamp: (piece) =>
      [...of(piece).map(keyOf), read?.of, read?.text?.length, piece?.text?.contentHash].join(' '),
    rows: (piece, renderOptions) =>
      of(piece).flatMap((draft) => [
        row(
          span(`Your draft of ${draftWords[draft.kind]}`, 'strong'),
          span(`, ${ageOf(draft.changedAt, renderOptions.now)} old; ${keys[draft.kind]} continues it`, 'dim'),
        ),
        ...versionRow(draft, piece),
        emptyRow,
        ...bodyOf(draft, piece, renderOptions),
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

/** The version with which a text is compared, and whether it was made from another one. */
function versionRow({ kind, base }: Draft, { text }: Piece): StyledLine[] {
  if (kind !== 'text' || !text) return []
  return base?.hash === text.contentHash
    ? [row(span(`From version ${text.version} to your draft`, 'dim'))]
    : [
        row(
          span(
            `It was made from version ${base?.version ?? '?'}. From version ${text.version}, which is the current one, to your draft:`,
            'warn',
          ),
        ),
      ]
}
