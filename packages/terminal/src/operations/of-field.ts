/** What a server begins with that goes on from the name of a field: "must be a ULID". */
const goesOn = /^(?:Must|Is|Needs|Takes|Holds) /

/** What is wrong with a field, in words that name it once. */
export function ofField(field: string | undefined, message: string): string {
  if (!field) return message
  if (goesOn.test(message)) return `${field} ${message.charAt(0).toLowerCase()}${message.slice(1)}`
  const names = message.split(/[^\w.-]+/).map((word) => word.toLowerCase())
  return names.includes(field.toLowerCase()) ? message : `${field}: ${message}`
}
