import fc from 'fast-check'
import { expect } from 'vitest'
import { isClosed, type Model, type Piece } from './pieces.ts'
import { endForGood, handOn, wake } from './state.ts'
import { type Answer, choose, expectAnswer, step, which } from './step.ts'
import type { RealSystem } from './system.ts'

/** What reviewers do to single activities, whatever stands around them. */

const mostPieces = 8

const post = (system: RealSystem, { id }: Piece, act: string, body: object) =>
  system.post('reviewer', `/dm/v1/activities/${id}/${act}`, body)

const isAtWork = ({ status, hold }: Piece) => status === 'in_progress' && hold === null

const pause = which.map((number) =>
  step(
    `pause of activity ${number}`,
    () => true,
    async (model, system) => {
      const one = choose(model.pieces, isAtWork, number)
      const may = isAtWork(one)
      expectAnswer(await post(system, one, 'pause', {}), 'pause', may ? '202' : '422 UNPROCESSABLE')
      if (may) one.hold = 'pausing'
    },
  ),
)

function expectGoesOn({ turns }: Model, { turn }: Piece, { body }: Answer): void {
  expect(turns.get(String(body['runId']))).toBe(turn)
}

function expectAlsoCancelled({ body }: Answer, pieces: readonly Piece[]): void {
  expect(body['alsoCancelled']).toEqual(pieces.map(({ id }) => id).toSorted())
}

const resume = which.map((number) =>
  step(
    `resume of activity ${number}`,
    ({ pieces }) => number > 3 || pieces.some(({ hold }) => hold !== null),
    async (model, system) => {
      const one = choose(model.pieces, ({ hold }) => hold !== null, number)
      const may = one.hold !== null
      const answer = await post(system, one, 'resume', {})
      expectAnswer(answer, 'resume', may ? '202' : '422 UNPROCESSABLE')
      if (!may) return
      one.hold = null
      if (one.turn) expectGoesOn(model, one, answer)
      else if (one.status === 'blocked') wake(one, 'answer', 'person')
    },
  ),
)

const cancel = which.map((number) =>
  step(
    `cancel of activity ${number}`,
    () => true,
    async (model, system) => {
      const one = choose(model.pieces, (some) => !isClosed(some), number)
      const may = !isClosed(one)
      const answer = await post(system, one, 'cancel', { reason: 'Not wanted' })
      expectAnswer(answer, 'cancel', may ? '200' : '422 UNPROCESSABLE')
      if (!may) return
      expectAlsoCancelled(answer, endForGood(model, one))
    },
  ),
)

const handover = fc.tuple(which, fc.constantFrom('blog_writer', 'researcher', 'person')).map(([number, to]) =>
  step(
    `reviewer gives activity ${number} to ${to}`,
    ({ pieces }) => pieces.length < mostPieces,
    async (model, system) => {
      const one = choose(model.pieces, (some) => !isClosed(some), number)
      const may = !isClosed(one)
      const isPerson = to === 'person'
      const answer = await post(system, one, 'reassign', {
        assigneeType: isPerson ? 'human' : 'agent',
        assigneeId: isPerson ? system.harness.team.adminId : to,
        reason: 'Better there',
      })
      expectAnswer(answer, 'reassign', may ? '201' : '422 UNPROCESSABLE')
      if (!may) return
      handOn(model, one, String(answer.body['newActivityId']), to)
      const successor = model.pieces.at(-1) as Piece
      if (isPerson) successor.turn = null
    },
  ),
)

export const steeringSteps = [pause, resume, resume, cancel, handover]
