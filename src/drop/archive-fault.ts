/** An archive of DROP, or a list in it, cannot be used. The message is for operators. */
export class ArchiveFault extends Error {
  override readonly name = 'ArchiveFault';
}
