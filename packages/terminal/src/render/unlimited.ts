/**
 * The width of a file or a pipe: nothing is cut or wrapped, and the cells of a table are separated by tabs.
 */
export const unlimited = Number.POSITIVE_INFINITY
