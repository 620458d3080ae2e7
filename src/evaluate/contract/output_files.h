/* The files of a simulation that outputs are read from: finding one, and taking a number from a
 * column of a table.
 *
 * Terms
 *   row        a line with at least one number that is no comment
 *   comment    a line that begins with # or %
 *   header     a comment, or a line without any number, that names the columns
 *   separator  ; or , where the line has one, else blanks and tabs; round brackets around numbers
 *              count as blanks then
 *
 * The column of a name is where the last header above a row that has the name has it.
 */
#ifndef GANNET_EVALUATE_CONTRACT_OUTPUT_FILES_H
#define GANNET_EVALUATE_CONTRACT_OUTPUT_FILES_H

#include "evaluate/evaluator.h"
#include "problem/outputs.h"

/* Find a file of a directory. Of several that match a pattern of the shell the last one counts;
 * numbers in names are compared as numbers.
 *
 * Local.
 *
 * file   in   relative to the directory
 * found  out  [size] the same for the file that was found
 * why    out  [why_size] what is there instead, when none was found
 */
bool gannet_output_file_find(const char *directory, const char *file, char *found, size_t size,
                             char *why, size_t why_size);

typedef enum {
  GANNET_TABLE_TAKEN,
  GANNET_TABLE_LACKING,    /* too few rows, or no number */
  GANNET_TABLE_NO_COLUMN,  /* the table has other columns, or two of this name */
  GANNET_TABLE_UNREADABLE, /* errno says why */
  GANNET_TABLE_STOPPED     /* somebody wants the program to end */
} gannet_table_end;

/* Take a number from a column of a table.
 *
 * Local.
 *
 * path      in   of the file
 * shown     in   its name for messages
 * output    in   column, rows and what is taken from them
 * stopping  in   NULL = nothing
 * value     out  may be what is no finite number, as the table says
 * why       out  [size] what the table has instead
 */
gannet_table_end gannet_output_file_take(const char *path, const char *shown,
                                         const gannet_output *output,
                                         const gannet_stopping *stopping, double *value, char *why,
                                         size_t size);

#endif
