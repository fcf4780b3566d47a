import type { Desk, Line, Paper } from '../operations/operation.ts'
import type { Row, Tone } from '../paper/row.ts'
import { activityScreen } from './activity-screen.ts'
import { choice, confirmation, type Overlay, prompt, type PromptOptions } from './overlay.ts'
import { sentence } from './faults.ts'
import { teamClient } from '../team/client.ts'
import { createLink, type Link } from './link.ts'
import { createLive, type Live } from './live.ts'
import { meaning, noted, type RequestLog } from './requests.ts'
import { reviewScreen } from './review-screen.ts'
import { runOperation, type RunOptions } from './run-operation.ts'
import type { OpenScreen, Screen } from './screen.ts'
import type { Surroundings } from './surroundings.ts'
import { createUndoing } from './undo.ts'

/** What was said last, at the lower end of the screen. */
export interface Message {
  readonly text: string
  readonly tone: Tone
}

/** What the screens share: the way to the server, to each other, and to the person. */
export interface Shell extends Omit<Surroundings, 'tenantId'> {
  readonly desk: Desk
  readonly requests: RequestLog
  readonly screens: readonly Screen[]
  readonly overlay: Overlay | undefined
  readonly message: Message | undefined
  /** Of the tenant that everything is narrowed to; changed by `narrow` only. */
  readonly tenantId: string | undefined
  readonly tenantName: string | undefined
  /** How the server can be reached, and when it answered last. */
  readonly link: Pick<Link, 'state' | 'heardAt'>
  readonly live: Live
  /** What can be taken back, the latest last. */
  readonly undoable: readonly Line[]
  /** What was said and run on the command line, the latest last. */
  readonly history: string[]
  /** What results are drawn on, so many columns wide. */
  paper(width: number): Paper
  open(screen: OpenScreen): void
  /** Opens what has an id: a question with all that its verdict needs, or a piece of work. */
  openWork(kind: 'approval' | 'activity', id: string): void
  /** Closes the top screen; the last one ends the terminal. */
  back(): void
  /** Closes all but the first screen and opens this one over it, if any. */
  go(screen?: OpenScreen): void
  quit(): void
  /** Narrows every screen to one tenant, or to none. */
  narrow(tenant?: { id: string; name: string }): void
  say(text: string, tone?: Tone): void
  ask(question: string, options?: PromptOptions): Promise<string | undefined>
  confirm(question: string, preview: readonly Row[]): Promise<boolean>
  choose(question: string, options: readonly string[]): Promise<string | undefined>
  show(overlay: Overlay | undefined): void
  /**
   * Runs an operation: asks before one that decides, says what became of it, remembers how to take it back.
   * @returns undefined when it was not done, which has been said
   */
  run(line: Line, options?: RunOptions): Promise<{ result: unknown } | undefined>
  /** Takes back what was done last, or says that it stands. */
  undo(): Promise<void>
  /** Does something that may fail; the failure is said, not thrown. */
  attempt<T>(work: () => Promise<T>): Promise<T | undefined>
  /** Something to be seen has changed: drawn at the next frame. */
  changed(): void
  /** A key has been pressed: drawn as soon as all keys of one report have done what they do. */
  pressed(): void
  subscribe(fn: () => void): () => void
}

/** Between two frames for what nobody typed, milliseconds: quick enough to read along, and no work for a slow line. */
const frameMs = 50

/** @param end called when the last screen is left */
export function createShell(surroundings: Surroundings, end: () => void): Shell {
  const listeners = new Set<() => void>()
  let drawn: (() => void) | undefined
  let screens: readonly Screen[] = []
  let overlay: Overlay | undefined
  let message: Message | undefined
  const undoing = createUndoing()
  const { tenantId, own } = surroundings
  let tenant = own?.tenant ?? (tenantId === undefined ? undefined : { id: tenantId, name: tenantId })

  /** Nothing that goes wrong by the clock may end the terminal. */
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
        // What has happened meanwhile is not known.
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
  // What is noted is what goes to the server.
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
      // The head says already that the server is gone: what was said last is worth more than the same once again.
      const isKnown =
        before.state !== 'reached' && before.state === link.state && meaning(error) !== 'answered'
      const isSaid = isKnown && message !== undefined && message === before.message
      if ((error as Error).name !== 'AbortError' && !isSaid) say(sentence(error), 'bad')
      return undefined
    }
  }
  /** Asks through an overlay that tells its answer. */
  const answer = <T>(make: (tell: (value: T) => void) => Overlay): Promise<T> =>
    new Promise((resolve) => show(make(resolve)))

  const desk: Desk = { client, now: surroundings.now, ...own }
  const shell: Shell = {
    ...surroundings,
    client,
    after,
    desk,
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
    paper: (width) => ({
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
      // What was done above may have changed what is seen below.
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
      // Once more for those that were just asking about the others.
      live.tell()
      say(to ? `Everything is narrowed to ${to.name}` : 'All tenants are shown again')
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
