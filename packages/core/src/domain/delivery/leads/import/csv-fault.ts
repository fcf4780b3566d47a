/** A fault of a CSV file as a whole, with the line where it shows. */
export class CsvFault extends Error {
  constructor(line: number, reason: string) {
    super(`Line ${line}: ${reason}`)
    this.name = 'CsvFault'
  }
}
