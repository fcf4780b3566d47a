import type { InputExamples } from './input.ts'

/** Inputs of endpoints that agents call. */
export const agentExamples: InputExamples = {
  'agent.actions.web_read': ({ page }) => ({ body: { url: page } }),
  'agent.skills.manifest': () => ({ params: { agentRole: 'ads_writer' } }),
  'agent.skills.get': () => ({ params: { agentRole: 'ads_writer' } }),
  'agent.runs.result': () => [
    { body: { status: 'success', text: 'Three ads' } },
    { body: { status: 'success', metadata: { nothingToDo: true } } },
    { body: { status: 'error', error: 'Slow down', metadata: { family: 'quota', retryAfterMs: 1_000 } } },
  ],
  'agent.callback.receive': () => [
    { body: { status: 'success', text: 'Three ads', usage: { inputTokens: 10, outputTokens: 20 } } },
    { body: { status: 'completed', output: 'Three ads', sessionId: null, usage: null, error: null } },
  ],
  // Runs that are running are those of ads writers.
  'agent.sessions.put': ({ ours }) => ({
    params: { agentRole: 'ads_writer' },
    body: {
      sessionId: 'talk-1',
      activityRunId: ours.atWork[0]?.taskId,
      inputTokensSoFar: 10,
      outputTokensSoFar: 20,
    },
  }),
}
