import type { ProcessEnd } from '../../../../platform/processes/processes.ts'
import { redactText } from '../../../../platform/redact.ts'
import type { FailureFamily } from '../../../agents/models/entities.ts'
import { SessionName } from '../../agent-control/schemas.ts'
import type { DeliveredResult } from '../lifecycle/result.ts'
import { familyOf } from './failure.ts'
import type { CommandOutput } from './lines.ts'
import type { CommandOptions } from './options.ts'

/** The longest text that a run delivers, characters. */
const maxText = 1_000_000
const maxError = 2_000

/** What a command hands in, by how it has ended and what it has said. */
export function resultOf(command: CommandOptions, end: ProcessEnd, said: CommandOutput): DeliveredResult {
  const { usage, nothingToDo, text } = said
  const session = SessionName.safeParse(said.sessionId)
  const common = { usage, sessionId: session.success ? session.data : undefined }
  const failed = (error: string, family: FailureFamily): DeliveredResult => ({
    ...common,
    status: 'error',
    error,
    family,
  })
  if (end.tooMuch) return failed('The command wrote more than it may', 'invalid')
  if (text.length > maxText)
    return failed(`The command wrote a text of more than ${maxText} characters`, 'invalid')
  if (end.code === 0 && said.error === undefined) {
    if (text === '' && !nothingToDo)
      return failed(emptyHanded(end, said), familyOfSilence(command, end, said))
    return { ...common, status: 'success', text, nothingToDo }
  }
  const words = said.error ?? lastLine(end.stderr || said.stray || said.text)
  const how = end.signal ? `was ended by ${end.signal}` : `ended with ${end.code}`
  const error = words === '' ? `The command ${how} and said nothing` : `The command ${how}: ${words}`
  const heard = { code: end.code, words: `${words}\n${end.stderr}`, family: said.family }
  return failed(redactText(said.error ?? error).slice(0, maxError), familyOf(command, heard))
}

/** An agent that is not logged in may say so and end with 0 all the same. */
function emptyHanded(end: ProcessEnd, said: CommandOutput): string {
  const words = lastLine(end.stderr || said.stray)
  return redactText(
    words === '' ? 'The command wrote nothing' : `The command wrote nothing but: ${words}`,
  ).slice(0, maxError)
}

function familyOfSilence(command: CommandOptions, end: ProcessEnd, said: CommandOutput): FailureFamily {
  const words = `${end.stderr}\n${said.stray}`
  const family = familyOf(command, { code: 0, words, family: said.family })
  return family === 'internal' ? 'invalid' : family
}

function lastLine(text: string): string {
  return (text.trim().split('\n').at(-1) ?? '').trim().slice(0, 500)
}
