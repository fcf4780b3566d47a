import type { Client } from '@copydesk/client'
import type { StyledLine } from '../render/row.ts'

interface Described {
  /** Description, for the help. */
  summary: string
}

/** The kinds of parameters of an operation. An argument is positional, all others are `--name`. */
export type Parameter =
  | (Described & { kind: 'argument'; required: boolean; completes?: Completion })
  /** One or more. */
  | (Described & { kind: 'arguments'; completes?: Completion })
  | (Described & { kind: 'text'; value: string; required?: true; completes?: Completion })
  /** Separated by commas, or given several times. */
  | (Described & { kind: 'list'; value: string; required?: true })
  /** Some of the choices, separated by commas or given several times. */
  | (Described & { kind: 'choices'; value: string; choices: readonly string[] })
  | (Described & { kind: 'number'; value: string; min: number; max: number })
  | (Described & { kind: 'choice'; choices: readonly string[]; required?: true })
  | (Described & { kind: 'choice argument'; choices: readonly string[] })
  | (Described & { kind: 'flag' })

/** Completed while the user types. */
export type Completion = 'approval' | 'activity' | 'work' | 'feed' | 'tenant' | 'role' | 'campaign'

export type Parameters = Readonly<Record<string, Parameter>>

type ValueOf<P extends Parameter> = P extends { kind: 'argument'; required: false }
  ? string | undefined
  : P extends { kind: 'argument' }
    ? string
    : P extends { kind: 'arguments' }
      ? string[]
      : P extends { kind: 'text'; required: true }
        ? string
        : P extends { kind: 'text' }
          ? string | undefined
          : P extends { kind: 'list'; required: true }
            ? string[]
            : P extends { kind: 'list' }
              ? string[] | undefined
              : P extends { kind: 'choices'; choices: readonly (infer C)[] }
                ? C[] | undefined
                : P extends { kind: 'number' }
                  ? number | undefined
                  : P extends { kind: 'choice argument'; choices: readonly (infer C)[] }
                    ? C
                    : P extends { kind: 'choice'; choices: readonly (infer C)[]; required: true }
                      ? C
                      : P extends { kind: 'choice'; choices: readonly (infer C)[] }
                        ? C | undefined
                        : boolean

/** The input of an operation. */
export type Input<T extends Parameters> = { [K in keyof T]: ValueOf<T[K]> }

/**
 * Who runs an operation: staff, an admin or member of a tenant with a login, or an operator on the machine
 * itself.
 */
export type Audience = 'staff' | 'admin' | 'member' | 'operator'

/** What operations need. */
export interface OperationContext {
  client: Client
  /** Milliseconds since the epoch. */
  now(): number
  /** Absent: staff. */
  audience?: Audience
  /** The tenant of an admin or a member. */
  tenant?: { id: string; name: string }
  /** Of staff; absent where only the server knows it, as with an API key of the environment. */
  staffRole?: string
}

/** A client as those see it who pass on requests of which only the sender knows the types. */
export interface AnyClient {
  call(surface: string, route: string, input: object): Promise<unknown>
  stream(surface: string, route: string, input: object): AsyncIterable<unknown>
}

/** A client that passes its requests on: the replies have the types that the receiving client gives them. */
export function clientOf(passing: AnyClient): Client {
  return passing as object as Client
}

/** How results are printed. */
export interface RenderOptions {
  /** Columns of the terminal, or `unlimited`. */
  width: number
  now: number
  /** Whether colours are visible; absent: markers replace colours. */
  colour?: boolean
  /** Whether a screen reader is in use. */
  spoken?: boolean
}

/** The side effect of an operation. One that `decides` needs a confirmation: it is hard to undo. */
export type Effect = 'reads' | 'steers' | 'decides'

/** What operations and streams have in common: name, description and parameters. */
export interface OperationBase<T extends Parameters = Parameters> {
  /**
   * The unique name, in commands, tools and the terminal; of two words when there are several operations on
   * one kind of thing.
   */
  name: string
  summary: string
  effect: Effect
  /** Absent: staff only. */
  audience?: readonly Audience[]
  params: T
  /** Example command lines, without the program's name. */
  examples: readonly string[]
}

/** The hash of each text to decide on, by its approval, as the user saw it; null where an approval shows no text. */
export type ContentHashes = Readonly<Record<string, string | null>>

/** One operation of staff: a shell command, a slash command in the terminal, and a tool for an assistant. */
export interface Operation<T extends Parameters = Parameters, R = unknown, I = Input<T>>
  extends OperationBase<T> {
  /**
   * @param seen the texts that the user confirmed: a text that has changed since is not decided on
   * @throws UsageError for missing or conflicting parameters; ApiError of the server
   */
  run(context: OperationContext, input: I, seen?: ContentHashes): Promise<R>
  /** The result for people; scripts get the reply as it is. */
  print(result: R, renderOptions: RenderOptions): StyledLine[]
  /** The input with its filter resolved to ids, so that exactly what the user confirms is decided. */
  resolveInput?(context: OperationContext, input: I): Promise<I>
  /** The rows that it would affect, shown before the confirmation. */
  preview?(context: OperationContext, input: I): Promise<StyledLine[]>
  /** The current texts that it decides on. */
  contentHashes?(context: OperationContext, input: I): Promise<ContentHashes>
  /** The result is for the user only, such as a token: not available as a tool. */
  secret?: true
  /** The server takes a user's login only, no API key: not available as a tool. */
  needsLogin?: true
  /** How many of several failed; a script exits with 1 then. */
  failureCount?(result: R): number
  /** Whether this input needs a tenant, when `params` leaves it optional. */
  needsTenant?(input: I): boolean
  /** The operation that undoes it, with its input, when the server has one. */
  undo?(input: I, result: R): Invocation | undefined
}

/** A stream, which is followed until it ends or is stopped. */
export interface Following<T extends Parameters = Parameters, E = unknown, I = Input<T>>
  extends OperationBase<T> {
  effect: 'reads'
  /** Reconnects without losing or repeating events. Ends when `signal` aborts. */
  follow(context: OperationContext, input: I, signal: AbortSignal): AsyncIterable<E>
  /** An event for people; scripts get each event as it is, one a line. */
  print(event: E, renderOptions: RenderOptions): FollowOutput
}

/**
 * Lines, or a part of a text that continues where the last part ended: a line may arrive in several parts.
 */
export type FollowOutput = { lines: StyledLine[] } | { piece: string }

/** An operation by its name, with its input. */
export interface Invocation {
  name: string
  input: Readonly<Record<string, unknown>>
}

/** Defines an operation, its input typed by its parameters. */
export function operation<const T extends Parameters, R>(spec: Operation<T, R>): Operation<T, R> {
  return Object.freeze(spec)
}

/** Defines a stream. */
export function following<const T extends Parameters, E>(spec: Following<T, E>): Following<T, E> {
  return Object.freeze(spec)
}

/**
 * An operation of the catalogue, whose types are not known to the caller: `checkInput` has compared the input with the
 * parameters, and a result goes back to the operation that it came from.
 */
export type AnyOperation = Operation<Parameters, unknown, Invocation['input']>

/** A stream of the catalogue; see `AnyOperation`. */
export type AnyFollowing = Following<Parameters, unknown, Invocation['input']>
