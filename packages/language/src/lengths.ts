const numbers: Record<string, number> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  twelve: 12,
  twenty: 20,
  thirty: 30,
  half: 0.5,
  'half an': 0.5,
  'half a': 0.5,
}
const unitMinutes: Record<string, number> = { m: 1, h: 60, d: 1_440, w: 10_080 }

/** A number above one, in digits or as a word. */
export const numberWord = '(\\d{1,5}|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty)'

const amount = '(\\d{1,5}|half an?|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty)'
const unit = '(minutes?|mins?|m|hours?|hrs?|h|days?|d|weeks?|w)'

/** A length of time; matches its amount and its unit. */
export const lengthOfTime = `${amount} ?${unit}`

/** What a number says, in digits or as a word. */
export function countIn(count: string): number {
  return numbers[count] ?? Number(count)
}

/** A length of time in words, in minutes. */
export function minutesIn(count: string, of: string): number {
  return Math.round(countIn(count) * (unitMinutes[of[0] ?? 'm'] ?? 1))
}
