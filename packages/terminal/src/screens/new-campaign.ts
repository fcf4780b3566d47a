import { editDraft } from '../account/edit-draft.ts'
import { titleOf } from '../operations/brief.ts'
import { deliverablesIn, deliverableTypes } from '../operations/campaign-input.ts'
import { UsageError } from '../operations/invocation.ts'
import { row, span } from '../render/row.ts'
import { hasRoom, sayKept } from './drafting.ts'
import type { Binding } from './screen.ts'
import type { Shell } from './shell.ts'

/** The initial content of the editor. */
const start = `# Name of the campaign

The offer, the audience, the voice, and what readers are to do next.
`

/** The key that creates a campaign, for users with that right. */
export function newCampaignBinding(shell: Shell): Binding {
  return {
    key: 'n',
    label: 'new campaign',
    help: 'write a brief in your editor and start a campaign from it',
    needs: 'campaign create',
    run: () => startCampaign(shell),
  }
}

/**
 * Opens an editor for a brief, asks for the deliverables, and creates the campaign after a confirmation. The
 * brief is kept as a draft until then.
 */
export async function startCampaign(shell: Shell): Promise<void> {
  const { drafts } = shell
  const about = { kind: 'brief' as const, title: 'a campaign', tenantName: shell.tenantName ?? '' }
  if (!hasRoom(shell, about)) return
  const before = drafts.find(about)
  const edited = await editDraft(drafts, { about, text: start, draft: before }, shell.edit)
  if (edited.outcome === 'emptied' || edited.outcome === 'same')
    return shell.say('The brief is empty, so no campaign was started', 'dim')
  if (edited.outcome === 'kept') return sayKept(shell, 'n', (edited.fault as Error).message)
  const { draft, text } = edited
  const words = await askDeliverables(shell)
  if (words === undefined) return sayKept(shell, 'n')
  const title = titleOf(text)
  const made = words.join(', ')
  const preview = [row(span('deliverables in each period  ', 'dim'), made)]
  if (!(await shell.confirm(`Start “${title}”? Its runs have a cost.`, preview))) return sayKept(shell, 'n')
  const input = { brief: draft.file, deliverable: words }
  const done = await shell.run({ name: 'campaign create', input }, { asked: true })
  if (done) await drafts.remove(draft, text)
  else sayKept(shell, 'n', shell.message?.text)
}

/** @returns undefined when the user leaves it */
async function askDeliverables(shell: Shell): Promise<string[] | undefined> {
  let text = `${deliverableTypes[0] ?? ''}=1`
  let fault = ''
  while (true) {
    const question = `${fault}Which deliverables in each period? Such as blog_post=2, social_post=4; there are ${deliverableTypes.join(', ')}.`
    const said = await shell.ask(question, { text, needed: true })
    if (said === undefined) return undefined
    const words = said.split(/[\s,]+/).filter((word) => word !== '')
    try {
      deliverablesIn(words)
      return words
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      fault = `${error.message.replace(/^--deliverable /, '')}. `
      text = said
    }
  }
}
