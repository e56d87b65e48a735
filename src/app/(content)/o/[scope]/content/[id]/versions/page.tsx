export { default, metadata } from '../../../../../content/[id]/versions/page'
