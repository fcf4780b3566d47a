import { operationIn } from '../operations/catalogue.ts'
import { LineFault, optionName } from '../operations/line.ts'
import type { Named } from '../operations/operation.ts'
import { cutRow, type Row, row, span } from '../paper/row.ts'
import { widthOf } from '../paper/width.ts'
import { type Completions, completionsOf, type Known } from './completion.ts'
import { usageOf } from './command-help.ts'
import { inputOf, inputRow, insert, type LineInput, textOf, write } from './input.ts'
import type { KeyName } from './keys.ts'
import { meaningOf } from './meaning.ts'
import type { Overlay } from './overlay.ts'

/** How many offers are seen at once. */
const seen = 5

/**
 * Asks for a command or for plain words: with the lines from before, with what could stand there, and without letting a
 * command go that cannot be run.
 * @param tell gets undefined when nothing is to be done
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
    /** The commands of whoever types. */
    offered: readonly Named[]
    text?: string
    /** Told of a line that is left and not run, so that it can be brought back. */
    left?(words: string): void
  },
  tell: (text: string | undefined) => void,
): Overlay {
  let line: LineInput = inputOf(text)
  /** What was being written before somebody looked back in the history. */
  let draft = text
  let back = 0
  let cycle: (Completions & { base: string; at: number }) | undefined
  let fault: LineFault | undefined

  const put = (next: LineInput) => {
    line = next
    cycle = undefined
    // A fault that was told goes with its cause.
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
    hint: 'enter: do it · tab: complete · ↑↓: before · esc: leave it',
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

function faultOf(text: string): LineFault | undefined {
  if (text.trim() === '') return undefined
  try {
    meaningOf(text)
    return undefined
  } catch (error) {
    if (error instanceof LineFault) return error
    throw error
  }
}

/** What is wrong, and a sign over where it is. */
function faultRows(typed: string, fault: LineFault, width: number): Row[] {
  const place = widthOf(typed.slice(0, placeOf(typed, fault)))
  const sign = place + 3 < width ? [row(' '.repeat(place + 2), span('▾', 'bad'))] : []
  return [cutRow(row(span(fault.message, 'bad')), width), ...sign]
}

function placeOf(typed: string, { parameter, message }: LineFault): number {
  const option = parameter === undefined ? -1 : typed.indexOf(`--${optionName(parameter)}`)
  if (option >= 0) return option
  const [, word] = /(?:option |")([^"\s]+)"?$/.exec(message) ?? []
  const named = word === undefined ? -1 : typed.lastIndexOf(word)
  return named >= 0 ? named : typed.length
}

/** What the command takes that is being typed; otherwise that plain words do as well. */
function hintRow(typed: string): Row {
  const { operation } = operationIn(typed.trim().replace(/^\//, '').split(/\s+/))
  if (!operation || !typed.includes(' '))
    return row(span('A command, or what you want in plain words', 'strong'))
  return row(span(usageOf(operation), 'strong'), span(`  ${operation.summary}`, 'dim'))
}

function offerRows(offers: Completions['offers'], at: number, width: number): Row[] {
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
