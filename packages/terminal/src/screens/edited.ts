import type { Draft } from '../account/drafts.ts'
import { editDraft } from '../account/edit-draft.ts'
import type { Piece } from '../operations/show.ts'
import { changesBetween } from '../render/compare.ts'
import { diffRows } from '../render/diff.ts'
import { flowText } from '../render/flow.ts'
import { emptyRow } from '../render/row.ts'
import { discarded, draftAbout, hasRoom, type Kept, sayKept } from './drafting.ts'
import { sentence } from './requests.ts'
import { resultScreen } from './scroll.ts'
import type { Shell } from './shell.ts'

/** An approval whose text is to be edited. */
export interface Editable extends Piece {
  text: NonNullable<Piece['text']>
  /** Shows the draft beside the current text. */
  showDraft(): void
}

/**
 * Opens a text in the user's editor, shows the changes, and asks for confirmation. The edited text is kept as
 * a draft until it is sent; the next edit begins with it.
 * @returns the text when the user confirms, undefined otherwise
 */
export async function editedText(shell: Shell, piece: Editable, question: string): Promise<Kept | undefined> {
  const { drafts } = shell
  const { text } = piece
  const about = { ...draftAbout(piece, 'text'), base: { version: text.version, hash: text.contentHash } }
  if (!hasRoom(shell, about)) return undefined
  let draft = drafts.find(about)
  if (draft && draft.base?.hash !== text.contentHash) {
    const goesOn = await wantsOld(shell, piece, draft)
    if (goesOn === undefined) return undefined
    if (!goesOn) draft = undefined
  }
  const edited = await editDraft(drafts, { about, text: text.text, draft }, shell.edit)
  const ended = 'fault' in edited && edited.fault !== undefined ? `${sentence(edited.fault)}.` : ''
  switch (edited.outcome) {
    case 'emptied': {
      const now = edited.hadDraft ? 'your draft is unchanged' : 'nothing was changed'
      shell.say(`An empty text cannot be approved; ${now}`, 'warn')
      return undefined
    }
    case 'same':
      shell.say(`${ended} Nothing was changed`.trim(), ended ? 'bad' : 'dim')
      return undefined
    case 'kept':
      sayKept(shell, 'e', ended)
      return undefined
    case 'changed':
      return (await isMeant(shell, edited.draft, { before: text.text, edited: edited.text, question }))
        ? { text: edited.text, again: 'e', sent: () => drafts.remove(edited.draft, edited.text) }
        : undefined
  }
}

/**
 * Asks what to do with a draft of a text that has changed since.
 * @returns whether to continue it; undefined to edit nothing now
 */
async function wantsOld(
  shell: Shell,
  { text, showDraft }: Editable,
  draft: Draft,
): Promise<boolean | undefined> {
  const from = draft.base === undefined ? 'an earlier version' : `version ${draft.base.version}`
  const goOn = `continue your draft, in place of version ${text.version}`
  const look = 'look at both first'
  const startOver = `discard the draft and begin with version ${text.version}`
  const question = `Your draft was made from ${from}, and the text is version ${text.version} now.`
  const chosen = await shell.choose(question, [goOn, look, startOver])
  if (chosen === goOn) return true
  if (chosen === look) showDraft()
  return chosen === startOver && (await discarded(shell, draft)) ? false : undefined
}

/** Shows the changes and asks for confirmation. */
function isMeant(
  shell: Shell,
  draft: Draft,
  { before, edited, question }: { before: string; edited: string; question: string },
): Promise<boolean> {
  const changes = changesBetween(before, edited)
  return new Promise((resolve) => {
    const answer = (yes: boolean) => {
      shell.back()
      resolve(yes)
    }
    const leave = () => {
      answer(false)
      sayKept(shell, 'e')
    }
    const screen = resultScreen(
      'your changes',
      (width) => [
        ...flowText(question, width, undefined, 'warn'),
        emptyRow,
        ...diffRows({ from: 0, to: 1, changes }, shell.renderOptions(width)),
      ],
      [
        { key: 'y', label: 'yes, approve', run: () => answer(true) },
        { key: 'n', label: 'not now', help: 'back to the approval; your draft is kept', run: leave },
        {
          key: 'D',
          label: 'discard',
          help: 'discard what you wrote',
          run: async () => {
            if (!(await discarded(shell, draft))) return
            answer(false)
            shell.say('The draft is discarded', 'dim')
          },
        },
        { key: 'escape', label: 'not now', quiet: true, run: leave },
        { key: 'q', label: 'not now', quiet: true, run: leave },
      ],
    )
    shell.open(screen)
  })
}
