/** The heading of the commands for a server, in the help. */
export const everyday = 'Everyday (against a server):'
