export { default, generateMetadata } from '../../../../../../content/[id]/versions/[number]/page'
