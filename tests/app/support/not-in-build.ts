/** The build lacks something that a check needs, because its module is not installed. */
export class NotInBuild extends Error {}
