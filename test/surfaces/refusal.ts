import type { ApiError } from '@copydesk/client'

/** How a call is refused. */
export const refusal = (call: Promise<unknown>) =>
  call.then(
    () => 'was not refused',
    ({ status, code, field }: ApiError) => ({ status, code, field }),
  )
