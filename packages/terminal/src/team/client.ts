import type { Client } from '@copydesk/client'
import { type AnyClient, clientOf } from '../operations/operation.ts'
import { exitCodes, Failure } from '../shell/failure.ts'
import { type Answers, type OwnTenant, teamAnswers } from './answers.ts'
import { teamEvents, teamText } from './streams.ts'

/**
 * A client for an admin or a member of a tenant, on which operations and screens work as they do for staff:
 * their requests to `/cli/v1` are answered from the dashboard. Requests that the dashboard cannot answer are
 * rejected before anything is sent.
 */
export function teamClient(client: Client, tenant: OwnTenant): Client {
  const answers = teamAnswers(client, tenant)
  const passed: AnyClient = client
  const call = async (surface: string, route: string, input: Given = {}) => {
    if (surface !== 'cli') return passed.call(surface, route, input)
    const answer = answers[route as keyof Answers] as ((input: Given) => Promise<unknown>) | undefined
    if (!answer) throw forStaff()
    return answer(input)
  }
  const stream = (surface: string, route: string, input: Given = {}) => {
    if (surface !== 'cli') return passed.stream(surface, route, input)
    const { params, query: _, ...how } = input
    if (route === 'GET /events/stream') return teamEvents(client, tenant, how)
    if (route === 'GET /activities/:id/stream') return teamText(client, params?.['id'] ?? '', how)
    throw forStaff()
  }
  return clientOf({ call, stream })
}

interface Given {
  params?: Record<string, string>
  query?: Record<string, unknown>
  signal?: AbortSignal
  headers?: Record<string, string>
}

function forStaff(): Failure {
  return new Failure('This is for reviewers and super-admins.', { exitCode: exitCodes.forbidden })
}
