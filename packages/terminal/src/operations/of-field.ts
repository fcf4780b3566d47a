/** The verb with which a server's message about a field begins: "must be a ULID". */
const goesOn = /^(?:Must|Is|Needs|Takes|Holds) /

/** The message about a field, with the name of the field once. */
export function ofField(field: string | undefined, message: string): string {
  if (!field) return message
  if (goesOn.test(message)) return `${field} ${message.charAt(0).toLowerCase()}${message.slice(1)}`
  const names = message.split(/[^\w.-]+/).map((word) => word.toLowerCase())
  return names.includes(field.toLowerCase()) ? message : `${field}: ${message}`
}
