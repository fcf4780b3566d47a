/** Bytes with a name, which an endpoint gives in place of its JSON when it is asked for a file. */
export class FileContent {
  readonly name: string
  readonly bytes: Uint8Array

  constructor(name: string, bytes: Uint8Array) {
    this.name = name
    this.bytes = bytes
  }
}
