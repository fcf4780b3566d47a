import type { Client } from '@copydesk/client'
import type { Row } from '../paper/row.ts'

interface Described {
  /** What it is, for the help. */
  summary: string
}

/** What an operation takes, by kind. An argument stands by its place, everything else by `--name`. */
export type Parameter =
  | (Described & { kind: 'argument'; required: boolean; completes?: Completion })
  /** One or more. */
  | (Described & { kind: 'arguments'; completes?: Completion })
  | (Described & { kind: 'text'; value: string; required?: true; completes?: Completion })
  /** Parted by commas, or said several times. */
  | (Described & { kind: 'list'; value: string; required?: true })
  /** Some of the choices, parted by commas or said several times. */
  | (Described & { kind: 'choices'; value: string; choices: readonly string[] })
  | (Described & { kind: 'number'; value: string; min: number; max: number })
  | (Described & { kind: 'choice'; choices: readonly string[]; required?: true })
  | (Described & { kind: 'choice argument'; choices: readonly string[] })
  | (Described & { kind: 'flag' })

/** What can be offered while somebody types. */
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

/** What an operation is called with. */
export type Input<T extends Parameters> = { [K in keyof T]: ValueOf<T[K]> }

/** Who runs an operation: staff, a tenant's admin or member with a login of their own, an operator on the machine itself. */
export type Audience = 'staff' | 'admin' | 'member' | 'operator'

/** What operations work with. */
export interface Desk {
  client: Client
  /** Milliseconds since the epoch. */
  now(): number
  /** Absent: staff. */
  audience?: Audience
  /** The tenant of an admin or a member. */
  tenant?: { id: string; name: string }
}

/** What a result is printed on. */
export interface Paper {
  /** Columns of the terminal, or `unlimited`. */
  width: number
  now: number
  /** Whether colours are seen; absent: marks say what colours would. */
  colour?: boolean
  /** Whether it is heard instead of seen. */
  spoken?: boolean
}

/** What an operation does to the world. Before one that `decides`, a person is asked: it is hard to take back. */
export type Effect = 'reads' | 'steers' | 'decides'

/** What everything that can be typed has: its name, what it is, and what it takes. */
export interface Named<T extends Parameters = Parameters> {
  /** The one name of it, everywhere; of two words where several things are done to one kind of thing. */
  name: string
  summary: string
  does: Effect
  /** Absent: staff alone. */
  audience?: readonly Audience[]
  takes: T
  /** Lines as they are typed in a shell, without the program's name. */
  examples: readonly string[]
}

/** Texts that are decided over: the hash of each by its approval, as they were seen. */
export type Pieces = Readonly<Record<string, string>>

/** One thing that staff do: a command in a shell, behind a slash in the terminal, and a tool for an assistant. */
export interface Operation<T extends Parameters = Parameters, R = unknown> extends Named<T> {
  /**
   * @param seen what somebody agreed to: a text that has become another one since is not decided over
   * @throws LineFault for what only goes together, or not at all; ApiError as the server words it
   */
  run(desk: Desk, input: Input<T>, seen?: Pieces): Promise<R>
  /** The result for people; scripts get it as it is. */
  print(result: R, paper: Paper): Row[]
  /** The same with what matches now named one by one, so that what is done is what somebody agrees to and no more. */
  settled?(desk: Desk, input: Input<T>): Promise<Input<T>>
  /** What it would touch, told before it is confirmed. */
  preview?(desk: Desk, input: Input<T>): Promise<Row[]>
  /** The texts that it decides over, as they are now. */
  pieces?(desk: Desk, input: Input<T>): Promise<Pieces>
  /** Its result is for the person alone, such as a token: it is no tool for an assistant. */
  secret?: true
  /** How many of several it could not do; a script ends with 1 then. */
  missed?(result: R): number
  /** Whether this input is of no use without a tenant, where `takes` leaves it open. */
  needsTenant?(input: Input<T>): boolean
  /** Takes it back, where the server can: the name and the input of another operation. */
  undo?(input: Input<T>, result: R): Line | undefined
}

/** Something that is followed as it happens, until it ends or somebody looks away. */
export interface Following<T extends Parameters = Parameters, E = unknown> extends Named<T> {
  does: 'reads'
  /** Goes on by itself after a cut, without losing or repeating anything. Ends when `signal` aborts. */
  follow(desk: Desk, input: Input<T>, signal: AbortSignal): AsyncIterable<E>
  /** An event for people; scripts get each as it is, one a line. */
  print(event: E, paper: Paper): Told
}

/** Lines, or a piece of a text that goes on where the last one ended: a line of it may be told in several pieces. */
export type Told = { lines: Row[] } | { piece: string }

/** An operation by its name with what it is called with. */
export interface Line {
  name: string
  input: Readonly<Record<string, unknown>>
}

/** One definition of an operation, its input typed from what it takes. */
export function operation<const T extends Parameters, R>(spec: Operation<T, R>): Operation<T, R> {
  return Object.freeze(spec)
}

/** One definition of what is followed. */
export function following<const T extends Parameters, E>(spec: Following<T, E>): Following<T, E> {
  return Object.freeze(spec)
}

/** An operation whose types are not known where it is used. */
export type AnyOperation = Operation<Parameters, never> & {
  run(desk: Desk, input: never, seen?: Pieces): Promise<unknown>
}

/** The same of what is followed. */
export type AnyFollowing = Following<Parameters, never> & {
  follow(desk: Desk, input: never, signal: AbortSignal): AsyncIterable<unknown>
}
