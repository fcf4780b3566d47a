import type { Invocation, OperationContext, RenderOptions } from '../operations/operation.ts'
import type { Tone } from '../render/row.ts'
import { teamClient } from '../team/client.ts'
import { activityScreen } from './activity-screen.ts'
import { createLink, type Link } from './link.ts'
import { createLive, type Live } from './live.ts'
import {
  choice,
  confirmation,
  type Overlay,
  type PreviewRows,
  type PromptOptions,
  prompt,
} from './overlay.ts'
import { meaning, noted, type RequestLog, sentence } from './requests.ts'
import { reviewScreen } from './review-screen.ts'
import { type RunOptions, runOperation } from './run-operation.ts'
import type { OpenScreen, Screen } from './screen.ts'
import type { Surroundings } from './surroundings.ts'
import { createUndoing } from './undo.ts'

/** The last message, at the bottom of the screen. */
export interface Message {
  readonly text: string
  readonly tone: Tone
}

/** What the screens share: the connection to the server, navigation, and prompts. */
export interface Shell extends Omit<Surroundings, 'tenantId'> {
  readonly context: OperationContext
  readonly requests: RequestLog
  readonly screens: readonly Screen[]
  readonly overlay: Overlay | undefined
  readonly message: Message | undefined
  /** The tenant filter of all screens; changed by `narrow` only. */
  readonly tenantId: string | undefined
  readonly tenantName: string | undefined
  /** Whether the server can be reached, and when it last answered. */
  readonly link: Pick<Link, 'state' | 'heardAt'>
  readonly live: Live
  /** Operations that can be undone, the latest last. */
  readonly undoable: readonly Invocation[]
  /** The command history, the latest last. */
  readonly history: string[]
  /** Options to render results of this width. */
  renderOptions(width: number): RenderOptions
  open(screen: OpenScreen): void
  /** Opens an id: an approval for review, or an activity. */
  openWork(kind: 'approval' | 'activity', id: string): void
  /** Closes the top screen; closing the last one ends the program. */
  back(): void
  /** Closes all but the first screen and opens this one over it, if given. */
  go(screen?: OpenScreen): void
  quit(): void
  /** Filters every screen by one tenant, or removes the filter. */
  narrow(tenant?: { id: string; name: string }): void
  say(text: string, tone?: Tone): void
  ask(question: string, options?: PromptOptions): Promise<string | undefined>
  confirm(question: string, preview: PreviewRows): Promise<boolean>
  choose(question: string, options: readonly string[]): Promise<string | undefined>
  show(overlay: Overlay | undefined): void
  /**
   * Runs an operation: asks for confirmation where needed, reports the outcome, records how to undo it.
   * @returns undefined when it failed or was not confirmed, which has been reported
   */
  run(line: Invocation, options?: RunOptions): Promise<{ result: unknown } | undefined>
  /** Undoes the last operation, or reports that it cannot be undone. */
  undo(): Promise<void>
  /** Runs an action that may fail; reports the error instead of throwing it. */
  attempt<T>(work: () => Promise<T>): Promise<T | undefined>
  /** Schedules a frame after a change. */
  changed(): void
  /** Schedules a frame after a key: drawn when all keys of one chunk of input have been handled. */
  pressed(): void
  subscribe(fn: () => void): () => void
}

/**
 * Interval of frames that no key caused, milliseconds: fast enough to read along, and little data for a slow
 * connection.
 */
const frameMs = 50

/** @param end called when the last screen is closed */
export function createShell(surroundings: Surroundings, end: () => void): Shell {
  const listeners = new Set<() => void>()
  let drawn: (() => void) | undefined
  let screens: readonly Screen[] = []
  let overlay: Overlay | undefined
  let message: Message | undefined
  const undoing = createUndoing()
  const { tenantId, own } = surroundings
  let tenant = own?.tenant ?? (tenantId === undefined ? undefined : { id: tenantId, name: tenantId })

  /** An error in a timer must not end the terminal. */
  const after = (ms: number, fn: () => void) =>
    surroundings.after(ms, () => {
      try {
        fn()
      } catch (error) {
        say(sentence(error), 'bad')
      }
    })
  const draw = () => {
    drawn = undefined
    for (const listener of listeners) listener()
  }
  const changed = () => {
    drawn ??= surroundings.after(frameMs, draw)
  }
  const link = createLink({
    now: surroundings.now,
    after,
    changed() {
      if (link.state === 'reached') {
        say('The server answers again', 'good')
        // Events of the meantime are unknown.
        live.tell()
      }
      changed()
    },
    retry: () => screens.at(-1)?.refresh(),
  })
  const { client: asking, log } = noted(surroundings.client, {
    ...surroundings,
    heard: (what) => link.heard(what),
  })
  // Requests are recorded as they are sent to the server.
  const client = own ? teamClient(asking, own.tenant) : asking
  const live = createLive({ client, tenantId: () => tenant?.id, after })
  const say = (text: string, tone: Tone = 'plain') => {
    message = { text, tone }
    changed()
  }
  const show = (next: Overlay | undefined) => {
    overlay = next
    changed()
  }
  const attempt = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    const before = { state: link.state, message }
    try {
      return await work()
    } catch (error) {
      // The head already shows that the server is offline: the last message is worth more than a repetition.
      const isKnown =
        before.state !== 'reached' && before.state === link.state && meaning(error) !== 'answered'
      const isSaid = isKnown && message !== undefined && message === before.message
      if ((error as Error).name !== 'AbortError' && !isSaid) say(sentence(error), 'bad')
      return undefined
    }
  }
  /** Opens an overlay and resolves with its answer. */
  const answer = <T>(make: (tell: (value: T) => void) => Overlay): Promise<T> =>
    new Promise((resolve) => show(make(resolve)))

  const context: OperationContext = { client, now: surroundings.now, ...own }
  const shell: Shell = {
    ...surroundings,
    client,
    after,
    context,
    requests: log,
    link,
    live,
    get tenantId() {
      return tenant?.id
    },
    get tenantName() {
      return tenant?.name
    },
    get screens() {
      return screens
    },
    get overlay() {
      return overlay
    },
    get message() {
      return message
    },
    get undoable() {
      return undoing.undoable
    },
    history: [],
    renderOptions: (width) => ({
      width,
      now: surroundings.now(),
      colour: surroundings.colour,
      spoken: surroundings.spoken,
    }),
    open(screen) {
      screens = [...screens, screen(shell)]
      message = undefined
      changed()
    },
    openWork: (kind, id) => shell.open(kind === 'approval' ? reviewScreen(id) : activityScreen(id)),
    back() {
      screens.at(-1)?.close()
      screens = screens.slice(0, -1)
      message = undefined
      // The screens above may have changed the data of the one below.
      screens.at(-1)?.refresh()
      if (screens.length === 0) end()
      changed()
    },
    go(screen) {
      for (const each of screens.slice(1).toReversed()) each.close()
      screens = screens.slice(0, 1)
      if (screen) shell.open(screen)
      changed()
    },
    quit() {
      for (const screen of screens) screen.close()
      screens = []
      link.close()
      drawn?.()
      end()
    },
    narrow(to) {
      tenant = to
      live.reopen()
      for (const screen of screens) screen.refresh()
      // Repeated for callers that waited while the others were asked.
      live.tell()
      say(to ? `All screens show only ${to.name}` : 'All screens show all tenants again')
    },
    say,
    show,
    ask: (question, options) => answer((tell) => prompt(question, tell, options)),
    confirm: (question, preview) => answer((tell) => confirmation(question, preview, tell)),
    choose: (question, options) => answer((tell) => choice(question, options, tell)),
    attempt,
    run: (line, options) => runOperation(shell, undoing, line, options),
    undo: () => undoing.undo(shell),
    changed,
    pressed() {
      drawn?.()
      drawn = surroundings.after(0, draw)
    },
    subscribe(fn) {
      listeners.add(fn)
      return () => listeners.delete(fn)
    },
  }
  return shell
}
