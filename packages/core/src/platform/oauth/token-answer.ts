/**
 * A token answer as RFC 6749 has it. Several providers leave the token type out, write null where nothing is, or name
 * another media type; an identity token is not asked for and not kept.
 */
export async function plainTokenAnswer(answer: Response): Promise<Response> {
  if (answer.status !== 200) return answer
  const fields: unknown = await answer.json().catch(() => undefined)
  if (typeof fields !== 'object' || fields === null) return Response.json({})
  const { id_token: _, ...rest } = fields as Record<string, unknown>
  const given = Object.entries(rest).filter(([, value]) => value !== null)
  return Response.json({ token_type: 'bearer', ...Object.fromEntries(given) })
}
