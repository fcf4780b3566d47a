import { withTenant } from '../account/own-tenant.ts'
import { ask } from '../operations/ask.ts'
import { bulk } from '../operations/bulk.ts'
import { mayRunNamed, operationsFor, refusal } from '../operations/catalogue.ts'
import { checkedInput, slashLine } from '../operations/invocation.ts'
import type { AnyFollowing, AnyOperation, Invocation } from '../operations/operation.ts'
import { decideAll } from './bulk-verdict.ts'
import { commandPrompt } from './command-prompt.ts'
import { draftsScreen } from './drafts-screen.ts'
import { followingScreen } from './following-screen.ts'
import { commandHelp } from './help-screen.ts'
import { askPlainly } from './language.ts'
import { meaningOf } from './parse-input.ts'
import { resultScreen } from './scroll.ts'
import type { Shell } from './shell.ts'
import { knownTo } from './suggestions.ts'

/** Maximum number of lines. */
const kept = 200
/**
 * The line that was last left without running it: the first one of the history, and never sent to the server.
 */
const unfinished = new WeakMap<Shell, readonly string[]>()

/** Asks for a command, or for plain words that are translated into a command, and runs it. */
export async function commandLine(shell: Shell, text = ''): Promise<void> {
  const known = knownTo(shell)
  const line = await new Promise<string | undefined>((resolve) => {
    const history = [...shell.past.earlier, ...shell.history, ...(unfinished.get(shell) ?? [])]
    const left = (words: string) => void unfinished.set(shell, [words])
    shell.show(commandPrompt({ history, known, offered: operationsFor(shell.context), text, left }, resolve))
  })
  if (!line?.trim()) return
  const meaning = meaningOf(line)
  const before = [...shell.history]
  remember(shell, line.trim())
  if (meaning.kind === 'words' && !mayRunNamed(shell.context, 'ask'))
    return shell.say('Unknown command: /help lists all commands. Plain words are for reviewers.', 'warn')
  if (meaning.kind === 'words') return askPlainly(shell, meaning.words, { before, remember, runCommand })
  if (meaning.kind === 'command') return runCommand(shell, meaning.operation, meaning.input)
  if (meaning.name === 'help') return shell.open(commandHelp)
  if (meaning.name === 'undo') return shell.undo()
  if (meaning.name === 'drafts') return shell.open(draftsScreen)
  shell.quit()
}

function remember({ history, past }: Shell, line: string): void {
  if (history.at(-1) === line) return
  history.push(line)
  void past.keep(line)
  if (history.length > kept) history.splice(0, history.length - kept)
}

/** @param asked whether the user has seen the command and confirmed it */
async function runCommand(
  shell: Shell,
  operation: AnyOperation | AnyFollowing,
  given: Invocation['input'],
  asked = false,
): Promise<void> {
  const why = refusal(shell.context, operation)
  if (why !== undefined) return shell.say(why, 'warn')
  // A confirmed command runs exactly as it was shown.
  const input = asked
    ? given
    : await shell.attempt(() => withTenant(operation, shell.context, narrowed(shell, operation, given)))
  if (!input) return
  const { name } = operation
  const id = input['id']
  if (!('run' in operation)) {
    if (typeof id === 'string') return shell.openWork('activity', id)
    return shell.open(followingScreen(operation, input))
  }
  if (name === 'ask') {
    const { words } = checkedInput(ask, input)
    return askPlainly(shell, words.join(' '), { before: [...shell.history], remember, runCommand })
  }
  // It shows what it would affect itself.
  if (name === 'bulk') return void (await decideAll(shell, checkedInput(bulk, input), asked))
  const isRead = operation.effect === 'reads'
  const done = await shell.run({ name, input }, { asked, quiet: isRead })
  if (!done) return
  const draw = (width: number) => operation.print(done.result, shell.renderOptions(width))
  if (isRead || draw(200).length > 1) shell.open(resultScreen(slashLine(operation, input), draw))
}

/** The input restricted to the terminal's tenant filter, unless it names another tenant or exact ids. */
function narrowed(
  { tenantId }: Shell,
  { params: takes }: AnyOperation | AnyFollowing,
  input: Invocation['input'],
): Invocation['input'] {
  const isOpen = 'tenant' in takes && input['tenant'] === undefined && input['ids'] === undefined
  return isOpen && tenantId !== undefined ? { ...input, tenant: tenantId } : input
}
