/** Days after a payment was due, in the tenant's zone, on which its admins are reminded. */
export const reminderDays = [1, 3, 7] as const
export const lastReminder = 7

/** From this day on the work of the tenant rests until it pays. */
export const overdueDay = lastReminder + 1

/**
 * The reminder that is due: the latest whose day has come, so that one that was missed is not sent beside the next.
 * @param late days since the payment was due
 * @param reminded the day of the last reminder; 0 is none
 */
export function reminderDue(late: number, reminded: number): number | undefined {
  return reminderDays.findLast((day) => day <= late && day > reminded)
}
