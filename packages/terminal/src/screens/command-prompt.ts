import { operationIn } from '../operations/catalogue.ts'
import { optionName, UsageError } from '../operations/invocation.ts'
import type { OperationBase } from '../operations/operation.ts'
import { cutRow, row, type StyledLine, span } from '../render/row.ts'
import { widthOf } from '../render/width.ts'
import { type Completions, completionsOf, type Known } from './completion.ts'
import { usageOf } from './help-screen.ts'
import { inputOf, inputRow, insert, type LineInput, textOf, write } from './input.ts'
import type { KeyName } from './keys.ts'
import type { Overlay } from './overlay.ts'
import { meaningOf } from './parse-input.ts'

/** Maximum number of visible suggestions. */
const seen = 5

/**
 * Asks for a command or for plain words: with history, suggestions, and validation before it is submitted.
 * @param tell gets undefined when the user leaves the prompt
 */
export function commandPrompt(
  {
    history,
    known,
    offered,
    text = '',
    left,
  }: {
    history: readonly string[]
    known: Known
    /** The commands of the user. */
    offered: readonly OperationBase[]
    text?: string
    /** Called with a line that is left without running it, so that it can be restored. */
    left?(words: string): void
  },
  tell: (text: string | undefined) => void,
): Overlay {
  let line: LineInput = inputOf(text)
  /** The current line before the user went back in the history. */
  let draft = text
  let back = 0
  let cycle: (Completions & { base: string; at: number }) | undefined
  let fault: UsageError | undefined

  const put = (next: LineInput) => {
    line = next
    cycle = undefined
    // A displayed error disappears when its cause is corrected.
    if (fault) fault = faultOf(textOf(line))
  }
  const look = (steps: number) => {
    const wanted = back + steps
    if (wanted < 0 || wanted > history.length) return
    if (back === 0) draft = textOf(line)
    back = wanted
    put(inputOf(back === 0 ? draft : (history[history.length - back] ?? '')))
  }
  const complete = (steps: number) => {
    const base = cycle?.base ?? textOf(line)
    const found = cycle ?? completionsOf(base, known, offered)
    const { offers, from } = found
    if (offers.length === 0) return
    const at = cycle ? (cycle.at + steps + offers.length) % offers.length : steps > 0 ? 0 : offers.length - 1
    const value = offers[at]?.value ?? ''
    line = inputOf(`${base.slice(0, from)}${value}${offers.length === 1 ? ' ' : ''}`)
    cycle = offers.length === 1 ? undefined : { ...found, base, at }
  }
  const onKey = (key: KeyName): boolean => {
    if (key === 'tab' || key === 'shift+tab') complete(key === 'tab' ? 1 : -1)
    else if (key === 'up') look(1)
    else if (key === 'down') look(-1)
    else if (key === 'escape') {
      const words = textOf(line).trim()
      if (words !== '' && back === 0) left?.(words)
      tell(undefined)
      return true
    } else if (key === 'enter') {
      fault = faultOf(textOf(line))
      if (fault) return false
      tell(textOf(line))
      return true
    } else put(write(line, key) ?? line)
    return false
  }
  return {
    writes: true,
    hint: 'enter: run · tab: complete · ↑↓: history · esc: leave',
    rows({ width }) {
      const typed = textOf(line)
      const offers = cycle ?? { ...completionsOf(typed, known, offered), at: -1 }
      return [
        ...(fault ? faultRows(typed, fault, width) : [cutRow(hintRow(typed), width)]),
        [span(': ', 'accent'), ...inputRow(line, width - 2)],
        ...offerRows(typed === '' ? [] : offers.offers, offers.at, width),
      ]
    },
    onKey,
    onPaste: (pasted) => put(insert(line, pasted)),
  }
}

function faultOf(text: string): UsageError | undefined {
  if (text.trim() === '') return undefined
  try {
    meaningOf(text)
    return undefined
  } catch (error) {
    if (error instanceof UsageError) return error
    throw error
  }
}

/** The error, and a marker above its position. */
function faultRows(typed: string, fault: UsageError, width: number): StyledLine[] {
  const place = widthOf(typed.slice(0, placeOf(typed, fault)))
  const sign = place + 3 < width ? [row(' '.repeat(place + 2), span('▾', 'bad'))] : []
  return [cutRow(row(span(fault.message, 'bad')), width), ...sign]
}

function placeOf(typed: string, { parameter, message }: UsageError): number {
  const option = parameter === undefined ? -1 : typed.indexOf(`--${optionName(parameter)}`)
  if (option >= 0) return option
  const [, word] = /(?:option |")([^"\s]+)"?$/.exec(message) ?? []
  const named = word === undefined ? -1 : typed.lastIndexOf(word)
  return named >= 0 ? named : typed.length
}

/** The parameters of the command that is being typed; otherwise a hint at plain words. */
function hintRow(typed: string): StyledLine {
  const { operation } = operationIn(typed.trim().replace(/^\//, '').split(/\s+/))
  if (!operation || !typed.includes(' '))
    return row(span('A command, or a question in plain words', 'strong'))
  return row(span(usageOf(operation), 'strong'), span(`  ${operation.summary}`, 'dim'))
}

function offerRows(offers: Completions['offers'], at: number, width: number): StyledLine[] {
  const top = Math.max(0, Math.min(at - 2, offers.length - seen))
  const shown = offers.slice(top, top + seen).map(({ value, what }, index) => {
    const chosen = top + index === at
    return cutRow(
      row(span(chosen ? '› ' : '  '), span(value, chosen ? 'chosen' : 'accent'), span(`  ${what}`, 'dim')),
      width,
    )
  })
  const hidden = offers.length - shown.length
  return hidden > 0 ? [...shown, row(span(`  … ${hidden} more`, 'dim'))] : shown
}
