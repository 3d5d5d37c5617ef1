/*===- note.h - The note of an artifact made by hand
-----------------------===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* As qcc/Artifact/ArtifactNote.h describes it, before it is stamped. *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

__asm__(".pushsection .note.qcc, \"a\", @note\n"
        ".balign 8\n"
        ".long 4, 24, 1\n"
        ".asciz \"qcc\"\n"
        ".long 1, 62\n"
        ".quad 0, 0\n"
        ".popsection\n");
